#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/plan.hpp"
#include "engine/cuda/particles.hpp"
#include "engine/cuda/stage_clock.hpp"
#include "engine/cuda/tables.hpp"
#include "kernels/arithmetic/compact_position.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/device/step_gate.hpp"
#include "kernels/neighbor/neighbor_cuda.hpp"

namespace tessera
{

/// Neighbor lists in device memory, and the encoded positions that they index. Everything is queued
/// on the stream given at construction; nothing here waits for the device, but for the extremes of
/// open axes.
template <class P>
class CudaLists
{
public:
    using Real = typename P::Real;

    /// `clock` is told of sorts and builds.
    CudaLists(Plan const& plan, cudaStream_t stream, CudaStageClock& clock);

    /// Allocates what a path needs.
    void prepare(Layout const& layout, Box const& box);

    /// Builds the outer list at `positions` and encodes the present ones. The gate's word must be
    /// open; it is closed if a row did not fit.
    void build(CudaParticles& particles, ListPositions positions, cuda::StepGate const& gate);

    /// Search::brute only: builds if the gate's word is above the limit.
    void build_if_moved(CudaParticles const& particles, cuda::StepGate const& gate);

    /// Makes the exact list of the present positions, if the path and mode want one.
    void prune(CudaTables<Real> const& tables, cuda::StepGate const& gate);

    /// Grows what `faults` says did not fit; says whether the outer list must be built again.
    bool grow_list(cuda::StepFaults const& faults);
    bool grow_pruned(cuda::StepFaults const& faults);

    Search search() const
    {
        return layout_.search;
    }
    int lanes() const
    {
        return layout_.lanes;
    }
    PairSpace const& space() const
    {
        return space_;
    }
    P* encoded() const
    {
        return encoded_.data();
    }
    /// Whether steps move compact positions instead, which only chunks are reordered from.
    bool compacts() const
    {
        return compact_.size() > 0;
    }
    CompactPosition* compact() const
    {
        return compact_.data();
    }
    PairSpace const& compact_space() const
    {
        return listed_;
    }
    PositionView<CompactPosition> compact_positions() const
    {
        return {compact_.data(), layout_.particle_count, CompactPosition::scale(listed_)};
    }
    PositionView<P> positions() const
    {
        return {encoded_.data(), layout_.particle_count, P::scale(space_)};
    }
    /// What chunks are reordered from.
    cuda::RowListView outer() const
    {
        return view(outer_);
    }
    /// What the path gather reads.
    cuda::RowListView active_rows() const
    {
        return prunes() ? view(pruned_) : view(outer_);
    }
    /// What the path shoc reads.
    cuda::ColumnListView columns() const;

    std::int64_t builds() const
    {
        return builds_;
    }
    void append_bytes(std::vector<std::pair<std::string, std::int64_t>>& bytes) const;

private:
    struct Rows
    {
        std::int32_t capacity = 0;
        DeviceBuffer<std::int32_t> neighbor, slots;
    };

    cuda::RowListView view(Rows const& rows) const
    {
        return {rows.neighbor.data(), rows.slots.data(), layout_.particle_count, rows.capacity,
                layout_.lanes};
    }
    bool prunes() const
    {
        return layout_.exact_slots > 0;
    }
    bool has_columns() const
    {
        return layout_.column_slots > 0;
    }
    void allocate_rows(Rows& rows);
    void allocate_columns();
    void encode(CudaParticles const& particles, Vec3<double> const* position);
    void search_cells(CudaParticles& particles, ListPositions at, cuda::StepGate const& gate);
    void prune_to_columns(cuda::StepGate const& gate);
    /// Edges by which a search must fold, 0 along axes where it need not [sigma].
    Vec3<Real> fold_period() const;
    /// The radius to search with, by displacements of up to `span` from a third particle [sigma].
    double padded_radius(double span) const;

    cudaStream_t stream_;
    CudaStageClock& clock_;
    Plan plan_;
    Layout layout_;
    PairSpace space_{};   // of encoded_
    PairSpace listed_{};  // of compact_, and of encoded_ where the search's is too coarse
    DeviceBuffer<P> encoded_;
    DeviceBuffer<CompactPosition> compact_;
    Rows outer_, pruned_;
    std::int32_t column_capacity_ = 0;
    DeviceBuffer<std::int32_t> column_neighbor_, column_slots_;
    std::int64_t builds_ = 0;
};

}  // namespace tessera
