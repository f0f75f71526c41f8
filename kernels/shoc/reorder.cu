#include "kernels/shoc/chunk_force.cuh"
#include "kernels/shoc/position.cuh"
#include "kernels/shoc/shoc.hpp"

namespace tessera::cuda
{
namespace
{

/// How the groups of a slice are spread: as many warps a slice as it has groups, up to a block's,
/// so that a small system still fills the device; a warp then walks the rest.
template <int lanes>
struct ReorderShape
{
    static constexpr int groups = shoc_groups(lanes);
    static constexpr int warps_a_slice = groups < shoc_reorder_warps ? groups : shoc_reorder_warps;
    static constexpr int slices_a_block = shoc_reorder_warps / warps_a_slice;
    static constexpr int rounds = groups / warps_a_slice;
};

/// Writes one group of a row, at its first plane; slots outside the range become padding.
__device__ __forceinline__ void store_group(std::byte* first, Vec3<float> const (&d)[slot_group],
                                            bool const (&within)[slot_group], PackingScale scale,
                                            L2Access access)
{
    PackedNeighbor const padding = packed_padding(scale);
    PackedNeighbor slot[slot_group];
#pragma unroll
    for (int k = 0; k < slot_group; ++k)
    {
        slot[k] = within[k] ? device_pack(d[k], 0, scale) : padding;
    }
    access.store(reinterpret_cast<uint4*>(first),
                 uint4{slot[0].low, slot[0].high, slot[1].low, slot[1].high});
    access.store(reinterpret_cast<uint4*>(first + plane_bytes),
                 uint4{slot[2].low, slot[2].high, slot[3].low, slot[3].high});
}

__device__ __forceinline__ void store_group(std::byte* first, Vec3<float> const (&d)[slot_group],
                                            bool const (&within)[slot_group], FloatSlot::Scale,
                                            L2Access access)
{
    constexpr float far = padding_coordinate<float>;
#pragma unroll
    for (int k = 0; k < slot_group; ++k)
    {
        access.store(
            reinterpret_cast<float4*>(first + k * plane_bytes),
            within[k] ? float4{d[k].x, d[k].y, d[k].z, 0.0F} : float4{far, far, far, 0.0F});
    }
}

__device__ __forceinline__ void store_group(std::byte* first, Vec3<double> const (&d)[slot_group],
                                            bool const (&within)[slot_group], DoubleSlot::Scale,
                                            L2Access access)
{
    constexpr double far = padding_coordinate<double>;
#pragma unroll
    for (int k = 0; k < slot_group; ++k)
    {
        std::byte* const xy = first + 2 * k * plane_bytes;
        access.store(reinterpret_cast<double2*>(xy),
                     within[k] ? double2{d[k].x, d[k].y} : double2{far, far});
        access.store(reinterpret_cast<double2*>(xy + plane_bytes),
                     double2{within[k] ? d[k].z : far, 0.0});
    }
}

/// The four neighbors of one group of one row.
template <int lanes, class T>
__device__ __forceinline__ int4 neighbors_of(ShocView<T> const& atoms, ShocTiledList const& list,
                                             ShocListLayout layout, std::int64_t slice_of_list,
                                             int atom, int group, int row)
{
    if (layout == ShocListLayout::tiled)
    {
        return load_indices(list.index, slice_of_list, shoc_groups(lanes), group, row);
    }
    else
    {
        int const first_slot = slot_group * group * lanes + row % lanes;
        std::int32_t const* const first = atoms.list + first_slot * atoms.count + atom;
        std::int64_t const stride = lanes * atoms.count;
        return {__ldg(first), __ldg(first + stride), __ldg(first + 2 * stride),
                __ldg(first + 3 * stride)};
    }
}

template <class Slot, int lanes>
__global__ void __launch_bounds__(shoc_reorder_warps * 32)
    shoc_reorder_kernel(ShocView<typename Slot::Real> atoms, ShocTiledList list,
                        ShocReorderRule<typename Slot::Real> rule, ChunkView<Slot> chunk)
{
    using Shape = ReorderShape<lanes>;
    using T = typename Slot::Real;
    __shared__ unsigned sm_groups_in_use[Shape::slices_a_block];
    int const warp = threadIdx.x / slice_rows;
    int const row = threadIdx.x % slice_rows;
    int const slice_in_block = warp / Shape::warps_a_slice;
    int const first_group = warp % Shape::warps_a_slice;
    std::int64_t const slice =
        blockIdx.x * static_cast<std::int64_t>(Shape::slices_a_block) + slice_in_block;
    bool const slice_exists = slice < slice_count(chunk.particle_count, lanes);
    if (threadIdx.x < Shape::slices_a_block)
    {
        sm_groups_in_use[threadIdx.x] = 0;
    }
    __syncthreads();

    std::byte* const row_data = chunk.data + slice * slice_bytes<Slot>(chunk.capacity) + row * 16;
    constexpr std::int64_t group_bytes = SlotGroup<Slot>::planes * plane_bytes;
    L2Access const access(rule.kept_share);
    unsigned in_use = 0;
    if (slice_exists)
    {
        std::int64_t const local = (slice * slice_rows + row) / lanes;
        bool const real = local < chunk.particle_count;
        int const atom =
            atom_at(list.order, chunk.first_particle + (real ? local : chunk.particle_count - 1));
        std::int64_t const slice_of_list = chunk.first_particle * lanes / slice_rows + slice;
        Vec3<T> const own = load_position(atoms.position, atom);
#pragma unroll
        for (int round = 0; round < Shape::rounds; ++round)
        {
            int const group = first_group + round * Shape::warps_a_slice;
            int4 const index =
                neighbors_of<lanes>(atoms, list, rule.layout, slice_of_list, atom, group, row);
            Vec3<T> const d[slot_group] = {own - load_position(atoms.position, index.x),
                                           own - load_position(atoms.position, index.y),
                                           own - load_position(atoms.position, index.z),
                                           own - load_position(atoms.position, index.w)};
            bool within[slot_group];
            bool any = false;
#pragma unroll
            for (int k = 0; k < slot_group; ++k)
            {
                within[k] = real && shoc_length_sq(d[k]) < rule.range_sq;
                any |= within[k];
            }
            in_use |= __any_sync(0xFFFFFFFFU, any) ? 1U << group : 0U;
            store_group(row_data + group * group_bytes, d, within, chunk.scale, access);
        }
        if (row == 0)
        {
            atomicOr(&sm_groups_in_use[slice_in_block], in_use);
        }
    }
    // The slots in use of a slice are the last group that any of its warps found in use.
    __syncthreads();
    if (slice_exists && first_group == 0 && row == 0)
    {
        chunk.slots[slice] = slot_group * (32 - __clz(sm_groups_in_use[slice_in_block]));
    }
}

}  // namespace

template <class T, class Slot>
void shoc_reorder(ShocView<T> atoms, ShocTiledList list, ShocReorderRule<T> rule,
                  ChunkView<Slot> chunk, StreamHandle stream)
{
    assert(chunk.first_particle * chunk.lanes % slice_rows == 0);
    std::int64_t const slices = slice_count(chunk.particle_count, chunk.lanes);
    if (slices == 0)
    {
        return;
    }
    with_lanes<8>(chunk.lanes, [&]<int lanes>() {
        constexpr int slices_a_block = ReorderShape<lanes>::slices_a_block;
        auto const blocks = static_cast<unsigned>((slices + slices_a_block - 1) / slices_a_block);
        shoc_reorder_kernel<Slot, lanes>
            <<<blocks, shoc_reorder_warps * 32, 0, stream>>>(atoms, list, rule, chunk);
    });
    cuda_check(cudaGetLastError(), "launch of shoc_reorder");
}

#define TESSERA_INSTANTIATE(T, Slot)                                                    \
    template void shoc_reorder<T, Slot>(ShocView<T>, ShocTiledList, ShocReorderRule<T>, \
                                        ChunkView<Slot>, StreamHandle);
TESSERA_INSTANTIATE(float, PackedSlot)
TESSERA_INSTANTIATE(float, FloatSlot)
TESSERA_INSTANTIATE(double, DoubleSlot)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
