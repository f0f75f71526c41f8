#include "kernels/shoc/chunk_force.cuh"
#include "kernels/shoc/position.cuh"
#include "kernels/shoc/shoc.hpp"

namespace tessera::cuda
{
namespace
{

constexpr int gather_block = 128;

template <class T, int lanes>
__global__ void __launch_bounds__(gather_block)
    shoc_gather_kernel(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair,
                       Vec3<T>* __restrict__ force)
{
    std::int64_t const slice = blockIdx.x * static_cast<std::int64_t>(gather_block / slice_rows) +
                               threadIdx.x / slice_rows;
    if (slice >= slice_count(atoms.count, lanes))
    {
        return;
    }
    int const row = threadIdx.x % slice_rows;
    std::int64_t const place = (slice * slice_rows + row) / lanes;
    bool const real = place < atoms.count;
    int const atom = atom_at(list.order, real ? place : atoms.count - 1);
    Vec3<T> const own = load_position(atoms.position, atom);
    Vec3<T> sum{};
    constexpr int groups = shoc_groups(lanes);
#pragma unroll 4
    for (int group = 0; group < groups; ++group)
    {
        int4 const index = load_indices(list.index, slice, groups, group, row);
        Vec3<T> const d[slot_group] = {own - load_position(atoms.position, index.x),
                                       own - load_position(atoms.position, index.y),
                                       own - load_position(atoms.position, index.z),
                                       own - load_position(atoms.position, index.w)};
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            Force<ShocPair<T>, T>{pair}.add(sum, d[slot], 0, 0);
        }
    }
    merge_lanes(sum, lanes);
    if (real && row % lanes == 0)
    {
        force[atom] = sum;
    }
}

}  // namespace

template <class T>
void shoc_gather(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, Vec3<T>* force,
                 StreamHandle stream)
{
    constexpr int slices_per_block = gather_block / slice_rows;
    std::int64_t const slices = slice_count(atoms.count, list.lanes);
    auto const blocks = static_cast<unsigned>((slices + slices_per_block - 1) / slices_per_block);
    with_lanes<8>(list.lanes, [&]<int lanes>() {
        shoc_gather_kernel<T, lanes><<<blocks, gather_block, 0, stream>>>(atoms, list, pair, force);
    });
    cuda_check(cudaGetLastError(), "launch of shoc_gather");
}

template void shoc_gather<float>(ShocView<float>, ShocTiledList, ShocPair<float>, Vec3<float>*,
                                 StreamHandle);
template void shoc_gather<double>(ShocView<double>, ShocTiledList, ShocPair<double>, Vec3<double>*,
                                  StreamHandle);

}  // namespace tessera::cuda
