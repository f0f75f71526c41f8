#pragma once
/// Neighbor lists: full (every pair appears in both rows), sorted by the order of the search, hence
/// the same for the same positions whatever the number of threads.

#include <cstdint>

#include "kernels/arithmetic/positions.hpp"
#include "kernels/neighbor/cells.hpp"
#include "kernels/neighbor/sort.hpp"

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

/// The radius to search with for a list that is complete up to `list_radius` (cutoff + skin), from
/// the rounding of the search and that of what uses the list [sigma].
///
/// A pair that the pair arithmetic finds within the cutoff is truly no further apart than the
/// cutoff and its own rounding; as long as neither particle has moved more than allowed_move(), it
/// was no further apart than that and the skin when the list was built; and the search takes a pair
/// for further apart than it is by no more than the search's rounding.
inline double search_radius(double list_radius, double search_rounding, double use_rounding)
{
    return list_radius + search_rounding + use_rounding;
}

/// The radius that cells must cover for that [sigma]: what rounds is far less than the difference.
inline double grid_radius(double list_radius)
{
    return list_radius * (1.0 + 0x1p-12);
}

/// How far a particle may move from where a list was built: half the skin, less the rounding of
/// the double distance that is compared with it [sigma].
inline double allowed_move(double skin)
{
    return 0.5 * skin * (1.0 - 0x1p-48);
}

/// What a list operation saw. If `longest` exceeds the capacity nothing past it was stored: grow
/// and redo.
struct ListCounts
{
    std::int64_t pairs = 0;    ///< entries over all rows
    std::int64_t longest = 0;  ///< entries of the longest row, stored or not
};

namespace cpu
{

/// Lists every neighbor within the ranges, from particles sorted by the `cells` of a grid made for
/// at least the largest range. P is one of the positions' forms.
template <class P>
ListCounts build_list(PositionView<P> positions, CellGrid const& grid, SortedCells const& cells,
                      PairRanges<typename P::Real> ranges, NeighborListView list);

/// Keeps, of the `outer` list, the neighbors within the ranges at the present positions.
template <class P>
ListCounts prune_list(PositionView<P> positions, NeighborListView outer,
                      PairRanges<typename P::Real> ranges, NeighborListView list);

}  // namespace cpu
}  // namespace tessera
