#include <type_traits>

#include "kernels/reorder/reorder_cuda.hpp"
#include "kernels/reorder/warp_queue.cuh"

namespace tessera::cuda
{
namespace
{

constexpr int reorder_block = 128;
constexpr int reorder_warps = reorder_block / 32;

/// Whether every pair has the same range: then species drop out of the test, and a packed
/// coordinate's bits are known to the compiler.
enum class Ranges
{
    uniform,
    by_species
};

/// One row's place in a reorder: what a lane of the warp works on.
struct ReorderPlace
{
    std::int64_t slice;       ///< within the target
    std::int64_t list_slice;  ///< within the list
    std::int32_t particle;    ///< in memory order
    bool active;              ///< false past the last particle
};

template <class Slot>
__device__ ReorderPlace reorder_place(RowTarget<Slot> const& target, int lanes)
{
    std::int64_t const slice =
        blockIdx.x * static_cast<std::int64_t>(reorder_warps) + threadIdx.x / 32;
    std::int64_t const local = (slice * slice_rows + threadIdx.x % 32) / lanes;
    bool const active = local < target.particle_count;
    return {slice, target.first_particle * lanes / slice_rows + slice,
            static_cast<std::int32_t>(target.first_particle +
                                      (active ? local : target.particle_count - 1)),
            active};
}

/// Reorders one slice. All lanes call it.
template <Ranges ranges_kind, class P, class Slot>
__device__ void reorder_slice(PositionView<P> const& positions, RowListView const& candidates,
                              PairRanges<typename P::Real> const& ranges,
                              RowTarget<Slot> const& target, ReorderPlace const& place,
                              typename SlotFormat<Slot>::Entry* sm_queue, StepGate const& gate)
{
    using Real = typename P::Real;
    using Format = SlotFormat<Slot>;
    int const row = threadIdx.x % 32;
    std::int32_t const particle = place.particle;
    std::int64_t const list_slice = place.list_slice;
    auto scale = target.scale;
    if constexpr (std::is_same_v<Slot, PackedSlot> && ranges_kind == Ranges::uniform)
    {
        scale.bits = 21;
    }
    WarpQueue<Slot> queue(sm_queue, target, place.slice, scale, particle);
    P const own = positions.position[particle];
    int const groups = candidates.slots[list_slice] / slot_group;
    auto const* list =
        reinterpret_cast<int4 const*>(candidates.neighbor + candidates.row_start(list_slice, row));
    int4 next = groups > 0 ? __ldg(list) : int4{};
    for (int group = 0; group < groups; ++group)
    {
        int4 const four = next;
        list += slice_rows;
        if (group + 1 < groups)
        {
            next = __ldg(list);
        }
        std::int32_t const neighbors[slot_group] = {four.x, four.y, four.z, four.w};
        P others[slot_group];
#pragma unroll
        for (int k = 0; k < slot_group; ++k)
        {
            others[k] = positions.position[neighbors[k]];
        }
#pragma unroll
        for (int k = 0; k < slot_group; ++k)
        {
            Vec3<Real> const d = displacement(own, others[k], positions.scale);
            Real const r_sq = dot(d, d);
            int species = 0;
            Real range_sq = ranges.uniform_sq;
            if constexpr (ranges_kind == Ranges::by_species)
            {
                species = static_cast<int>(others[k].species);
                range_sq = ranges.range_sq(static_cast<int>(own.species), species);
            }
            // A row's own particle is the list's padding, and all that rows past the last one hold.
            bool const keep = r_sq < range_sq && neighbors[k] != particle;
            queue.push(Format::make(d, species, neighbors[k], scale), keep);
        }
        queue.flush_if_due();
    }
    queue.flush_all();
    if (row == 0)
    {
        target.slots[place.slice] = min(queue.slots(), target.capacity);
        if (queue.slots() > target.capacity)
        {
            atomicMax(&gate.faults->chunk_slots, static_cast<unsigned long long>(queue.slots()));
            close(gate);
        }
    }
}

template <class P, class Slot, Ranges ranges_kind>
__global__ void __launch_bounds__(reorder_block)
    reorder_kernel(PositionView<P> positions, RowListView candidates,
                   PairRanges<typename P::Real> ranges, RowTarget<Slot> target, StepGate gate)
{
    __shared__ typename SlotFormat<Slot>::Entry sm_queue[reorder_warps][queue_depth * slice_rows];
    if (!gate.open())
    {
        return;
    }
    ReorderPlace const place = reorder_place(target, candidates.lanes);
    if (place.slice < slice_count(target.particle_count, candidates.lanes))
    {
        reorder_slice<ranges_kind>(positions, candidates, ranges, target, place,
                                   sm_queue[threadIdx.x / 32], gate);
    }
}

template <class P, class Slot>
void launch(PositionView<P> const& positions, RowListView const& candidates,
            PairRanges<typename P::Real> const& ranges, RowTarget<Slot> const& target,
            StepGate const& gate, cudaStream_t stream)
{
    std::int64_t const slices = slice_count(target.particle_count, candidates.lanes);
    auto const blocks = static_cast<unsigned>((slices + reorder_warps - 1) / reorder_warps);
    if (ranges.table == nullptr)
    {
        reorder_kernel<P, Slot, Ranges::uniform>
            <<<blocks, reorder_block, 0, stream>>>(positions, candidates, ranges, target, gate);
    }
    else
    {
        reorder_kernel<P, Slot, Ranges::by_species>
            <<<blocks, reorder_block, 0, stream>>>(positions, candidates, ranges, target, gate);
    }
    cuda_check(cudaGetLastError(), "launch of reorder");
}

}  // namespace

template <class P, class Slot>
void launch_reorder(PositionView<P> const& positions, RowListView const& candidates,
                    PairRanges<typename P::Real> const& ranges, ChunkView<Slot> const& chunk,
                    StepGate const& gate, cudaStream_t stream)
{
    launch<P, Slot>(positions, candidates, ranges,
                    {chunk.data, chunk.slots, chunk.first_particle, chunk.particle_count,
                     chunk.capacity, chunk.scale},
                    gate, stream);
}

template <class P>
void launch_prune(PositionView<P> const& positions, RowListView const& candidates,
                  PairRanges<typename P::Real> const& ranges, RowListView const& list,
                  StepGate const& gate, cudaStream_t stream)
{
    launch<P, IndexSlot>(positions, candidates, ranges,
                         {reinterpret_cast<std::byte*>(list.neighbor),
                          list.slots,
                          0,
                          list.particle_count,
                          list.capacity,
                          {}},
                         gate, stream);
}

#define TESSERA_INSTANTIATE(P, Slot)                                                          \
    template void launch_reorder<P, Slot>(PositionView<P> const&, RowListView const&,         \
                                          PairRanges<P::Real> const&, ChunkView<Slot> const&, \
                                          StepGate const&, cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition, PackedSlot)
TESSERA_INSTANTIATE(CompactPosition, PackedSlot)
TESSERA_INSTANTIATE(FixedPosition, FloatSlot)
TESSERA_INSTANTIATE(FloatPosition, PackedSlot)
TESSERA_INSTANTIATE(FloatPosition, FloatSlot)
TESSERA_INSTANTIATE(DoublePosition, DoubleSlot)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(P)                                                                     \
    template void launch_prune<P>(PositionView<P> const&, RowListView const&,                      \
                                  PairRanges<P::Real> const&, RowListView const&, StepGate const&, \
                                  cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
