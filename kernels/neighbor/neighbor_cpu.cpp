#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/neighbor/neighbor.hpp"

namespace tessera::cpu
{
namespace
{

/// Stores one row: what fits, and behind it the row's own index up to a whole vector.
void store_row(std::int32_t const* found, std::int32_t count, std::int64_t row,
               NeighborListView const& list)
{
    std::int32_t const stored = std::min(count, list.capacity);
    std::int32_t* const first = list.neighbor + row * list.row_stride;
    for (std::int32_t slot = 0; slot < stored; ++slot)
    {
        first[slot * list.slot_stride] = found[slot];
    }
    for (std::int32_t slot = stored; slot < padded_slots(stored); ++slot)
    {
        first[slot * list.slot_stride] = static_cast<std::int32_t>(row);
    }
    list.count[row] = stored;
}

/// The particles around one cell, side by side in memory: every particle of the cell searches them
/// in whole vectors. One a thread.
template <class P>
class Surroundings
{
public:
    using Real = typename P::Real;

    void collect(PositionView<P> const& positions, CellGrid const& grid, RowFinder& rows,
                 Vec3<std::int32_t> cell)
    {
        position_.clear();
        index_.clear();
        for_each_run_around(cell, grid, rows, [&](ParticleRun run) {
            position_.insert(position_.end(), positions.position + run.begin,
                             positions.position + run.end);
            std::size_t const first = index_.size();
            index_.resize(position_.size());
            std::iota(index_.begin() + static_cast<std::ptrdiff_t>(first), index_.end(), run.begin);
        });
        inside_.resize(index_.size());
        found_.resize(index_.size() + 1);
    }

    /// The neighbors of `particle`, whose own position is `own`; returns how many.
    std::int32_t search(P own, std::int32_t particle, typename P::Scale const& scale,
                        PairRanges<Real> ranges)
    {
        std::size_t const size = index_.size();
        P const* const position = position_.data();
        Real* const inside = inside_.data();
        for (std::size_t k = 0; k < size; ++k)
        {
            auto const d = displacement(own, position[k], scale);
            inside[k] = ranges.range_sq(own.species, position[k].species) - dot(d, d);
        }
        // The store is unconditional and the count conditional: no branch to mispredict.
        std::int32_t const* const index = index_.data();
        std::int32_t* const found = found_.data();
        std::int32_t count = 0;
        for (std::size_t k = 0; k < size; ++k)
        {
            found[count] = index[k];
            count += static_cast<int>(inside[k] > Real(0)) & static_cast<int>(index[k] != particle);
        }
        return count;
    }

    std::int32_t const* found() const
    {
        return found_.data();
    }

private:
    std::vector<P> position_;
    std::vector<std::int32_t> index_, found_;
    std::vector<Real> inside_;
};

}  // namespace

template <class P>
ListCounts build_list(PositionView<P> positions, CellGrid const& grid, SortedCells const& cells,
                      PairRanges<typename P::Real> ranges, NeighborListView list)
{
    std::int64_t pairs = 0;
    std::int64_t longest = 0;
#pragma omp parallel reduction(+ : pairs) reduction(max : longest)
    {
        Surroundings<P> around;
        RowFinder rows(cells, grid);
#pragma omp for schedule(dynamic, 64)
        for (std::int64_t cell = 0; cell < cells.count; ++cell)
        {
            std::int32_t const end = cells.start[cell + 1];
            if (cells.start[cell] == end)
            {
                continue;
            }
            around.collect(positions, grid, rows, cells.coordinates(cell, grid));
            for (std::int32_t particle = cells.start[cell]; particle < end; ++particle)
            {
                std::int32_t const count =
                    around.search(positions.position[particle], particle, positions.scale, ranges);
                store_row(around.found(), count, particle, list);
                pairs += count;
                longest = std::max<std::int64_t>(longest, count);
            }
        }
    }
    return {pairs, longest};
}

template <class P>
ListCounts prune_list(PositionView<P> positions, NeighborListView outer,
                      PairRanges<typename P::Real> ranges, NeighborListView list)
{
    using Real = typename P::Real;
    std::int64_t pairs = 0;
    std::int64_t longest = 0;
#pragma omp parallel reduction(+ : pairs) reduction(max : longest)
    {
        std::vector<Real> inside(static_cast<std::size_t>(outer.capacity));
        std::vector<std::int32_t> found(static_cast<std::size_t>(outer.capacity) + 1);
#pragma omp for schedule(static)
        for (std::int64_t particle = 0; particle < outer.rows; ++particle)
        {
            P const own = positions.position[particle];
            std::int32_t const* const candidates = outer.neighbor + particle * outer.row_stride;
            std::int32_t const size = outer.count[particle];
            for (std::int32_t slot = 0; slot < size; ++slot)
            {
                P const& other = positions.position[candidates[slot * outer.slot_stride]];
                auto const d = displacement(own, other, positions.scale);
                inside[static_cast<std::size_t>(slot)] =
                    ranges.range_sq(own.species, other.species) - dot(d, d);
            }
            std::int32_t count = 0;
            for (std::int32_t slot = 0; slot < size; ++slot)
            {
                found[static_cast<std::size_t>(count)] = candidates[slot * outer.slot_stride];
                count += inside[static_cast<std::size_t>(slot)] > Real(0) ? 1 : 0;
            }
            store_row(found.data(), count, particle, list);
            pairs += count;
            longest = std::max<std::int64_t>(longest, count);
        }
    }
    return {pairs, longest};
}

#define TESSERA_INSTANTIATE(P)                                                                \
    template ListCounts build_list<P>(PositionView<P>, CellGrid const&, SortedCells const&,   \
                                      PairRanges<P::Real>, NeighborListView);                 \
    template ListCounts prune_list<P>(PositionView<P>, NeighborListView, PairRanges<P::Real>, \
                                      NeighborListView);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cpu
