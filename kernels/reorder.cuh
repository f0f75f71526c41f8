#pragma once
/// The device side of reordering: one warp a slice, hits queued in shared memory until all lanes
/// can store to the same plane.

#include <type_traits>

#include "kernels/reorder_cuda.hpp"
#include "kernels/warp_queue.cuh"

namespace tessera::cuda
{

inline constexpr int reorder_block = 128;
inline constexpr int reorder_warps = reorder_block / 32;

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

/// Reorders one slice; returns the slots that its longest row needs. All lanes call it.
template <Ranges ranges_kind, class P, class Slot>
__device__ int reorder_slice(PositionView<P> const& positions, RowListView const& candidates,
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
    return queue.slots();
}

}  // namespace tessera::cuda
