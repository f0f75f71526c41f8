#pragma once
/// Neighbor lists: full (every pair appears in both rows), sorted by the order of the search, hence
/// the same for the same positions whatever the number of threads.

#include <cstdint>

#include "kernels/cells.hpp"
#include "kernels/positions.hpp"

namespace tessera
{

/// A list of rows x capacity slots, borrowed. Row-major: slot_stride 1, row_stride = capacity (a
/// thread walks its row); column-major: row_stride 1, slot_stride = rows (SHOC's shape).
///
/// Slots from count[row] up to the next multiple of 8 hold the row's own index, which readers take
/// for a particle far away, so that vector loops need no remainder.
struct NeighborListView
{
    std::int32_t* neighbor;
    std::int32_t* count;  ///< [row]
    std::int64_t rows;
    std::int32_t capacity;  ///< slots of a row, a multiple of 8
    std::int64_t row_stride;
    std::int64_t slot_stride;
};

inline constexpr std::int32_t list_slot_multiple = 8;

TESSERA_HD std::int32_t padded_slots(std::int32_t count)
{
    return (count + list_slot_multiple - 1) / list_slot_multiple * list_slot_multiple;
}

/// Squared ranges of pairs: one for all, or a table [species][species].
template <class Real>
struct PairRanges
{
    Real uniform_sq;    ///< [sigma^2]
    Real const* table;  ///< null: uniform_sq holds for every pair
    int species_count;

    TESSERA_HD Real range_sq(int species, int neighbor_species) const
    {
        return table == nullptr ? uniform_sq : table[species * species_count + neighbor_species];
    }
};

/// What a list operation saw. If `longest` exceeds the capacity nothing past it was stored: grow
/// and redo.
struct ListCounts
{
    std::int64_t pairs = 0;    ///< entries over all rows
    std::int64_t longest = 0;  ///< entries of the longest row, stored or not
};

namespace cpu
{

/// Lists every neighbor within the ranges, from particles sorted by cell (`start` as sort_by_cell
/// gives it, for a grid made for at least the largest range). P is one of the positions' forms.
template <class P>
ListCounts build_list(PositionView<P> positions, CellGrid const& grid, std::int32_t const* start,
                      PairRanges<typename P::Real> ranges, NeighborListView list);

/// Keeps, of the `outer` list, the neighbors within the ranges at the present positions.
template <class P>
ListCounts prune_list(PositionView<P> positions, NeighborListView outer,
                      PairRanges<typename P::Real> ranges, NeighborListView list);

}  // namespace cpu
}  // namespace tessera
