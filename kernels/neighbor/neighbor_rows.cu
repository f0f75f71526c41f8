#include "kernels/device/cuda_check.hpp"
#include "kernels/device/launch.hpp"
#include "kernels/neighbor/neighbor_cuda.hpp"
#include "kernels/neighbor/row_writer.cuh"

// f64 allowed: ::brute_kernel<: cvt ld mul st: keeps the double positions that lists are built at

namespace tessera::cuda
{
namespace
{

constexpr int block = 128;
constexpr int warps = block / 32;

template <class P>
__global__ void __launch_bounds__(block)
    brute_kernel(BruteSearch<P> search, RowListView list, StepGate gate)
{
    using Real = typename P::Real;
    // The limit is fetched beside the word, not after it.
    std::uint32_t const moved = *gate.present;
    bool const still = search.when == BuildWhen::moved && !gate.exceeds(moved);
    if ((moved == gate_closed) | still)
    {
        return;
    }
    std::int64_t const slice = blockIdx.x * static_cast<std::int64_t>(warps) + threadIdx.x / 32;
    if (slice >= list.slices())
    {
        return;
    }
    std::int64_t const wanted = (slice * 32 + threadIdx.x % 32) / list.lanes;
    bool const active = wanted < list.particle_count;
    auto const particle = static_cast<std::int32_t>(active ? wanted : list.particle_count - 1);
    int const sub = threadIdx.x % list.lanes;
    auto const count = static_cast<std::int32_t>(search.positions.count);
    P const own = search.positions.position[particle];
    auto const radius_sq = static_cast<Real>(search.radius * search.radius);
    RowWriter row(list, slice, threadIdx.x % 32, particle);
    if (active)
    {
        // Thirty-two tests before the first branch keep loads in flight.
        for (std::int32_t first = sub; first < count; first += 32 * list.lanes)
        {
            unsigned mask = 0;
#pragma unroll 8
            for (int k = 0; k < 32; ++k)
            {
                std::int32_t const other = first + k * list.lanes;
                auto const d = displacement(own, search.positions.position[min(other, count - 1)],
                                            search.positions.scale);
                bool const hit = dot(d, d) < radius_sq && other != particle && other < count;
                mask |= (hit ? 1U : 0U) << k;
            }
            while (mask != 0)
            {
                row.push(first + (__ffs(static_cast<int>(mask)) - 1) * list.lanes);
                mask &= mask - 1;
            }
        }
        if (sub == 0 && search.position != nullptr)
        {
            search.reference[particle] = search.position[particle];
        }
    }
    row.finish(list, slice, gate);
    if (slice == 0 && threadIdx.x == 0)
    {
        gate.faults->builds += 1;
    }
}

template <class P>
__global__ void __launch_bounds__(block)
    columns_kernel(PositionView<P> positions, RowListView outer,
                   PairRanges<typename P::Real> ranges, ColumnListView list, StepGate gate)
{
    using Real = typename P::Real;
    if (!gate.open())
    {
        return;
    }
    std::int64_t const particle = blockIdx.x * static_cast<std::int64_t>(block) + threadIdx.x;
    if (particle >= list.particle_count)
    {
        return;
    }
    std::int64_t const slice = particle / slice_rows;
    auto const* const row = reinterpret_cast<int4 const*>(
        outer.neighbor + outer.row_start(slice, static_cast<int>(particle % slice_rows)));
    P const own = positions.position[particle];
    int const groups = outer.slots[slice] / slot_group;
    int kept = 0;
    for (int group = 0; group < groups; ++group)
    {
        int4 const four = row[group * slice_rows];
        std::int32_t const neighbors[slot_group] = {four.x, four.y, four.z, four.w};
        for (std::int32_t const neighbor : neighbors)
        {
            P const other = positions.position[neighbor];
            auto const d = displacement(own, other, positions.scale);
            Real const r_sq = dot(d, d);
            bool const inside = r_sq < ranges.range_sq(static_cast<int>(own.species),
                                                       static_cast<int>(other.species)) &&
                                neighbor != particle;
            if (inside)
            {
                if (kept < list.capacity)
                {
                    list.neighbor[kept * list.particle_count + particle] = neighbor;
                }
                kept += 1;
            }
        }
    }
    list.slots[particle] = min(kept, list.capacity);
    if (kept > list.capacity)
    {
        atomicMax(&gate.faults->chunk_slots, static_cast<unsigned long long>(kept));
        close(gate);
    }
}

}  // namespace

template <class P>
void build_list_by_pairs(BruteSearch<P> const& search, RowListView const& list,
                         StepGate const& gate, cudaStream_t stream)
{
    brute_kernel<P>
        <<<blocks_for(list.slices() * 32, block), block, 0, stream>>>(search, list, gate);
    cuda_check(cudaGetLastError(), "launch of the brute list build");
}

template <class P>
void prune_list_to_columns(PositionView<P> const& positions, RowListView const& outer,
                           PairRanges<typename P::Real> const& ranges, ColumnListView const& list,
                           StepGate const& gate, cudaStream_t stream)
{
    columns_kernel<P><<<blocks_for(list.particle_count, block), block, 0, stream>>>(
        positions, outer, ranges, list, gate);
    cuda_check(cudaGetLastError(), "launch of the column list");
}

#define TESSERA_INSTANTIATE(P)                                                                \
    template void build_list_by_pairs<P>(BruteSearch<P> const&, RowListView const&,           \
                                         StepGate const&, cudaStream_t);                      \
    template void prune_list_to_columns<P>(PositionView<P> const&, RowListView const&,        \
                                           PairRanges<P::Real> const&, ColumnListView const&, \
                                           StepGate const&, cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
