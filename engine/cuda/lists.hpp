#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cuda/particles.hpp"
#include "engine/cuda/stage_clock.hpp"
#include "engine/cuda/tables.hpp"
#include "kernels/arithmetic/compact_position.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/device/step_gate.hpp"
#include "kernels/neighbor/neighbor_cuda.hpp"

namespace tessera
{

/// How neighbor lists are searched for.
enum class Search
{
    cells,  ///< particles sorted by cell
    brute   ///< every pair: cheapest for a few thousand particles, and no step asks the host
};

/// Whether 8-byte positions may stand in for the encoded ones.
enum class Compact
{
    never,
    if_faster
};

/// Neighbor lists in device memory, and the encoded positions that they index. Everything is queued
/// on the stream given at construction; nothing here waits for the device, but for the extremes of
/// open axes.
template <class P>
class CudaLists
{
public:
    using Real = typename P::Real;

    /// `clock` is told of sorts and builds.
    CudaLists(Config const& config, cudaStream_t stream, CudaStageClock& clock);

    /// Allocates for these particles and this path, at the capacities known so far.
    void prepare(CudaParticles const& particles, ForcePath path, Compact compact);

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
        return search_;
    }
    int lanes() const
    {
        return lanes_;
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
        return {compact_.data(), count_, CompactPosition::scale(listed_)};
    }
    PositionView<P> positions() const
    {
        return {encoded_.data(), count_, P::scale(space_)};
    }
    /// What chunks are reordered from.
    cuda::RowListView outer() const
    {
        return view(outer_);
    }
    /// What the path gather reads.
    cuda::RowListView active_rows() const
    {
        return prunes_ ? view(pruned_) : view(outer_);
    }
    /// What the path shoc reads.
    cuda::ColumnListView columns() const;

    std::int64_t builds() const
    {
        return builds_;
    }
    void append_bytes(std::vector<std::pair<std::string, std::int64_t>>& bytes) const;

    /// Up to so many particles in a periodic box, every pair may be tried at each step.
    static constexpr std::int64_t most_for_brute_force = 8192;

    /// Rows of a particle on `path`: `asked` if given, but the path shoc always has one.
    static int lanes_for(ForcePath path, std::int64_t particle_count, std::optional<int> asked);

private:
    struct Rows
    {
        std::int32_t capacity = 0;
        DeviceBuffer<std::int32_t> neighbor, slots;
    };

    cuda::RowListView view(Rows const& rows) const
    {
        return {rows.neighbor.data(), rows.slots.data(), count_, rows.capacity, lanes_};
    }
    void allocate_rows(Rows& rows);
    void encode(CudaParticles const& particles, Vec3<double> const* position);
    void search_cells(CudaParticles& particles, ListPositions at, cuda::StepGate const& gate);
    void prune_to_columns(cuda::StepGate const& gate);
    Search search_for(std::int64_t particle_count, Box const& box) const;
    /// Edges by which a search must fold, 0 along axes where it need not [sigma].
    Vec3<Real> fold_period() const;
    /// The radius to search with, by displacements of up to `span` from a third particle [sigma].
    double padded_radius(double span) const;

    cudaStream_t stream_;
    CudaStageClock& clock_;
    double list_radius_, skin_, cutoff_, smallest_sigma_;
    Rebuild rebuild_;
    std::optional<int> asked_lanes_;
    ForcePath path_ = ForcePath::reordered;
    Search search_ = Search::cells;
    bool prunes_ = false;
    int lanes_ = 1;
    std::int64_t count_ = 0;
    PairSpace space_{};   // of encoded_
    PairSpace listed_{};  // of compact_, and of encoded_ where the search's is too coarse
    DeviceBuffer<P> encoded_;
    DeviceBuffer<CompactPosition> compact_;
    Rows outer_, pruned_;
    std::int32_t column_capacity_ = 0;
    DeviceBuffer<std::int32_t> column_neighbor_, column_slots_;
    std::int64_t builds_ = 0;
};

/// Slots that a row of `lanes` rows a particle is given at first, for `expected` neighbors a
/// particle.
std::int32_t first_row_capacity(double expected, int lanes);

}  // namespace tessera
