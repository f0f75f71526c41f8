#include <algorithm>

#include "kernels/neighbor.hpp"

namespace tessera::cpu
{
namespace
{

constexpr int block = 64;  // candidates whose distances are computed in one vector loop

/// Appends neighbors to one row; past the capacity it only counts.
class RowWriter
{
public:
    RowWriter(NeighborListView const& list, std::int64_t row)
        : list_(list), first_(list.neighbor + row * list.row_stride), row_(row)
    {
    }

    // The store is unconditional and the count conditional: no branch to mispredict.
    void offer(std::int32_t neighbor, bool keep)
    {
        std::int32_t const slot = std::min(count_, list_.capacity - 1);
        std::int32_t& entry = first_[slot * list_.slot_stride];
        entry = count_ < list_.capacity ? neighbor : entry;
        count_ += keep ? 1 : 0;
    }

    std::int32_t finish()
    {
        std::int32_t const stored = std::min(count_, list_.capacity);
        list_.count[row_] = stored;
        for (std::int32_t slot = stored; slot < padded_slots(stored); ++slot)
        {
            first_[slot * list_.slot_stride] = static_cast<std::int32_t>(row_);
        }
        return count_;
    }

private:
    NeighborListView const& list_;
    std::int32_t* first_;
    std::int64_t row_;
    std::int32_t count_ = 0;
};

/// Offers the particles [begin, end), neighbors in memory, to the row of `particle`.
template <class P>
void search_run(PositionView<P> const& positions, PairRanges<typename P::Real> const& ranges,
                std::int32_t particle, std::int32_t begin, std::int32_t end, RowWriter& row)
{
    using Real = typename P::Real;
    P const own = positions.position[particle];
    for (std::int32_t first = begin; first < end; first += block)
    {
        int const size = std::min(block, end - first);
        P const* const candidates = positions.position + first;
        Real inside[block];
        for (int k = 0; k < size; ++k)
        {
            auto const d = displacement(own, candidates[k], positions.scale);
            inside[k] = ranges.range_sq(own.species, candidates[k].species) - dot(d, d);
        }
        for (int k = 0; k < size; ++k)
        {
            std::int32_t const neighbor = first + k;
            row.offer(neighbor, (inside[k] > Real(0)) & (neighbor != particle));
        }
    }
}

template <class P>
std::int32_t search_row(PositionView<P> const& positions, CellGrid const& grid,
                        std::int32_t const* start, Vec3<std::int32_t> cell,
                        PairRanges<typename P::Real> const& ranges, std::int32_t particle,
                        NeighborListView const& list)
{
    RowWriter row(list, particle);
    CellRuns const xs = cell_runs(cell.x, grid.reach.x, grid.cells.x, grid.boundary.x);
    CellRuns const ys = cell_runs(cell.y, grid.reach.y, grid.cells.y, grid.boundary.y);
    CellRuns const zs = cell_runs(cell.z, grid.reach.z, grid.cells.z, grid.boundary.z);
    for (int zrun = 0; zrun < 2; ++zrun)
    {
        for (std::int32_t z = zs.first[zrun]; z <= zs.last[zrun]; ++z)
        {
            for (int yrun = 0; yrun < 2; ++yrun)
            {
                for (std::int32_t y = ys.first[yrun]; y <= ys.last[yrun]; ++y)
                {
                    for (int xrun = 0; xrun < 2; ++xrun)
                    {
                        if (xs.last[xrun] < xs.first[xrun])
                        {
                            continue;
                        }
                        // Cells along x are neighbors in memory: one run of particles.
                        std::int64_t const first = cell_index({xs.first[xrun], y, z}, grid);
                        std::int64_t const last = cell_index({xs.last[xrun], y, z}, grid);
                        search_run(positions, ranges, particle, start[first], start[last + 1], row);
                    }
                }
            }
        }
    }
    return row.finish();
}

}  // namespace

template <class P>
ListCounts build_list(PositionView<P> positions, CellGrid const& grid, std::int32_t const* start,
                      PairRanges<typename P::Real> ranges, NeighborListView list)
{
    std::int64_t pairs = 0;
    std::int64_t longest = 0;
    std::int64_t const rows_of_cells = static_cast<std::int64_t>(grid.cells.y) * grid.cells.z;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : pairs) reduction(max : longest)
    for (std::int64_t cell_row = 0; cell_row < rows_of_cells; ++cell_row)
    {
        auto const y = static_cast<std::int32_t>(cell_row % grid.cells.y);
        auto const z = static_cast<std::int32_t>(cell_row / grid.cells.y);
        for (std::int32_t x = 0; x < grid.cells.x; ++x)
        {
            std::int64_t const cell = cell_index({x, y, z}, grid);
            for (std::int32_t particle = start[cell]; particle < start[cell + 1]; ++particle)
            {
                std::int32_t const count =
                    search_row(positions, grid, start, {x, y, z}, ranges, particle, list);
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
#pragma omp parallel for schedule(static) reduction(+ : pairs) reduction(max : longest)
    for (std::int64_t particle = 0; particle < outer.rows; ++particle)
    {
        P const own = positions.position[particle];
        std::int32_t const* const candidates = outer.neighbor + particle * outer.row_stride;
        RowWriter row(list, particle);
        for (std::int32_t first = 0; first < outer.count[particle]; first += block)
        {
            int const size = std::min(block, outer.count[particle] - first);
            Real inside[block];
            for (int k = 0; k < size; ++k)
            {
                P const& other = positions.position[candidates[(first + k) * outer.slot_stride]];
                auto const d = displacement(own, other, positions.scale);
                inside[k] = ranges.range_sq(own.species, other.species) - dot(d, d);
            }
            for (int k = 0; k < size; ++k)
            {
                row.offer(candidates[(first + k) * outer.slot_stride], inside[k] > Real(0));
            }
        }
        std::int32_t const count = row.finish();
        pairs += count;
        longest = std::max<std::int64_t>(longest, count);
    }
    return {pairs, longest};
}

#define TESSERA_INSTANTIATE(P)                                                                \
    template ListCounts build_list<P>(PositionView<P>, CellGrid const&, std::int32_t const*,  \
                                      PairRanges<P::Real>, NeighborListView);                 \
    template ListCounts prune_list<P>(PositionView<P>, NeighborListView, PairRanges<P::Real>, \
                                      NeighborListView);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cpu
