#pragma once

#include <nvtx3/nvtx3.hpp>
#include <type_traits>

#include "engine/cuda/chunks.hpp"
#include "engine/cuda/lists.hpp"
#include "engine/cuda/particles.hpp"
#include "engine/cuda/tables.hpp"
#include "kernels/force/force_cuda.hpp"
#include "kernels/motion/integrate_cuda.hpp"
#include "kernels/reorder/reorder_cuda.hpp"

namespace tessera
{

/// Which potential is evaluated: the run's, or its pairs cut sharply, for the tail correction.
enum class Cut
{
    own,
    sharp
};

/// The neighbors of the particles on a path, in lists, in chunks or in rows on the chip, and the
/// potential that is evaluated over them. Everything is queued on the stream given at construction;
/// see CudaLists and CudaChunks.
template <class P, class Slot>
class CudaForces
{
public:
    using Real = typename P::Real;

    CudaForces(Config const& config, Plan const& plan, CudaParticles& particles,
               cudaStream_t stream, CudaStageClock& clock);

    /// Takes the box of the particles that were loaded.
    void load(Config const& config);

    /// Allocates what a path needs; chunks take what memory is left, in windows if need be.
    void prepare(Layout const& layout);

    /// Builds lists at `positions`.
    void build_lists(ListPositions positions, cuda::StepGate const& gate);

    /// Search::brute only: builds lists if the gate's word is above the limit.
    void build_lists_if_moved(cuda::StepGate const& gate)
    {
        lists_.build_if_moved(particles_, gate);
    }

    /// The forces of a step at the present positions.
    void compute(cuda::StepGate const& gate, StreamUse overlap);

    /// Calls `use` with everything that holds neighbors: the list, or each chunk in turn, reordered
    /// first if the cache has no valid one.
    template <class Use>
    void for_each_source(cuda::StepGate const& gate, StreamUse overlap, Use const& use);

    /// The forces from the lists and chunks that are valid.
    void consume(StreamUse overlap)
    {
        for_each_source({}, overlap, [&](auto const& source) {
            cuda::launch_forces(source, potential(Cut::own), particles_.view().force, {}, stream_);
        });
    }

    /// The positions changed, or a closed gate kept chunks from being filled.
    void invalidate()
    {
        chunks_.invalidate();
    }
    /// Asks the cache what replaying a captured step does.
    void count_replay();

    /// Grow what `faults` says did not fit; say whether they did.
    bool grow_list(cuda::StepFaults const& faults)
    {
        return lists_.grow_list(faults);
    }
    bool grow_rows(cuda::StepFaults const& faults)
    {
        return layout_.path == ForcePath::reordered ? chunks_.grow(faults)
                                                    : lists_.grow_pruned(faults);
    }

    PotentialView<Real> potential(Cut cut) const;

    /// From here on no pair counts [sigma]: nearest_copy_limit(), by the coarsest positions that a
    /// run may have.
    static double copy_limit(Box const& box)
    {
        return may_compact ? nearest_copy_limit<CompactPosition>(box) : nearest_copy_limit<P>(box);
    }

    /// Where a drift leaves the new positions.
    cuda::DriftTarget<P> drift_target() const
    {
        cuda::ParticleArrays const now = particles_.arrays();
        return {lists_.encoded(), lists_.compact(), now.list_position, now.id};
    }
    CudaLists<P> const& lists() const
    {
        return lists_;
    }
    Layout const& layout() const
    {
        return layout_;
    }
    int species_count() const
    {
        return tables_.species_count();
    }
    /// Sums that a source's rows make, one a warp.
    std::int64_t warps() const
    {
        return slice_count(layout_.particle_count, layout_.lanes);
    }
    void fill(BackendReport& report) const;

private:
    static constexpr bool may_compact =
        std::is_same_v<P, FixedPosition> && std::is_same_v<Slot, PackedSlot>;

    void compute_on_chip(cuda::StepGate const& gate);
    void const* source() const;

    /// Calls `use` with the positions that chunks are reordered from.
    template <class Use>
    void with_positions(Use const& use) const;

    cudaStream_t stream_;
    CudaStageClock& clock_;
    CudaParticles& particles_;
    Layout layout_;
    CudaTables<Real> tables_;
    CudaLists<P> lists_;
    CudaChunks<Slot> chunks_;
};

template <class P, class Slot>
template <class Use>
void CudaForces<P, Slot>::with_positions(Use const& use) const
{
    if constexpr (may_compact)
    {
        if (lists_.compacts())
        {
            use(lists_.compact_positions());
            return;
        }
    }
    use(lists_.positions());
}

template <class P, class Slot>
template <class Use>
void CudaForces<P, Slot>::for_each_source(cuda::StepGate const& gate, StreamUse overlap,
                                          Use const& use)
{
    switch (layout_.path)
    {
        case ForcePath::gather:
            use(cuda::RowSource<P>{lists_.positions(), lists_.active_rows()});
            break;
        case ForcePath::shoc:
            use(cuda::ColumnSource<P>{lists_.positions(), lists_.columns()});
            break;
        case ForcePath::reordered:
        case ForcePath::automatic:
            chunks_.for_each(
                source(),
                [&](ChunkView<Slot> const& chunk, cudaStream_t stream) {
                    with_positions([&]<class Q>(PositionView<Q> const& positions) {
                        cuda::launch_reorder<Q, Slot>(positions, lists_.outer(),
                                                      tables_.cutoff_ranges(), chunk, gate, stream);
                    });
                },
                overlap,
                [&](ChunkView<Slot> const& chunk) {
                    use(cuda::ChunkSource<Slot>{chunk, particles_.view().species});
                });
            break;
    }
}

}  // namespace tessera
