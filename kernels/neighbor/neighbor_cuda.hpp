#pragma once
/// Neighbor lists on the device: full, exact within the radius they are built for, the same for the
/// same positions.
/// All launchers queue on `stream` and throw CudaError if the launch fails.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/device/step_gate.hpp"
#include "kernels/neighbor/cells.hpp"
#include "kernels/neighbor/neighbor.hpp"

namespace tessera::cuda
{

/// A list laid out like a chunk, for warps that read four indices a lane in one 16-byte load:
///
///     rows        a particle has `lanes` adjacent rows, each holding a share of its neighbors
///     slice       32 rows; uses slots[slice] slots of each row, a multiple of 4
///     entries     [slice][group of 4][row of slice][4] particle indices
///
/// Unused slots hold the row's own particle, which readers take for one far away.
struct RowListView
{
    std::int32_t* neighbor;
    std::int32_t* slots;  ///< [slice]
    std::int64_t particle_count;
    std::int32_t capacity;  ///< slots of a row, a multiple of 4
    std::int32_t lanes;     ///< 1, 2, 4, 8, 16 or 32

    TESSERA_HD std::int64_t slices() const
    {
        return slice_count(particle_count, lanes);
    }
    /// First entry of group 0 of a row.
    TESSERA_HD std::int64_t row_start(std::int64_t slice, int row) const
    {
        return (slice * capacity * slice_rows) + row * slot_group;
    }
};

/// SHOC's shape: entry `slot` of particle i is neighbor[slot * count + i].
struct ColumnListView
{
    std::int32_t* neighbor;
    std::int32_t* slots;  ///< [particle]
    std::int64_t particle_count;
    std::int32_t capacity;
};

/// What a search through cells needs.
template <class P>
struct CellSearch
{
    PositionView<P> positions;      ///< at the reference positions in cluster_search_space(),
                                    ///< sorted by cell
    Vec3<double> const* reference;  ///< [particle], decides the cell
    CellGrid grid;
    std::int32_t const* cells;      ///< the table of cells that sort_by_cell() wrote
    Vec3<typename P::Real> period;  ///< of axes so short that separations fold, otherwise 0
    double radius;                  ///< [sigma]
};

/// Lists every neighbor within the radius. If a row is longer than the capacity, faults.list_slots
/// says what it needs, the gate is closed and the list is not usable: grow and redo.
template <class P>
void build_list(CellSearch<P> const& search, RowListView const& list, StepGate const& gate,
                cudaStream_t stream);

/// Whether a list is built in any case, or only if particles moved further than the gate's limit.
enum class BuildWhen
{
    always,
    moved
};

/// What a search that tries every pair needs.
template <class P>
struct BruteSearch
{
    PositionView<P> positions;     ///< in extents as long as the edges: any two may meet
    double radius;                 ///< [sigma]
    Vec3<double> const* position;  ///< [particle], copied to reference; null: reference is kept
    Vec3<double>* reference;       ///< [particle]
    BuildWhen when;
};

/// The same list by trying every pair, for systems so small that sorting costs more; particles may
/// be in any order. Does nothing if the gate is closed; counts in faults.builds.
template <class P>
void build_list_by_pairs(BruteSearch<P> const& search, RowListView const& list,
                         StepGate const& gate, cudaStream_t stream);

/// Keeps of `outer` (one row a particle) what is within the ranges now, in SHOC's shape.
template <class P>
void prune_list_to_columns(PositionView<P> const& positions, RowListView const& outer,
                           PairRanges<typename P::Real> const& ranges, ColumnListView const& list,
                           StepGate const& gate, cudaStream_t stream);

}  // namespace tessera::cuda
