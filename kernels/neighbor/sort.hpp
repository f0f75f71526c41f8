#pragma once
/// Particles in order of (cell, id) on the CPU: neighbors in space become neighbors in memory.
/// The order depends on positions alone, not on the grid's layout or the number of threads.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/neighbor/cells.hpp"

namespace tessera::cpu
{

/// Where each cell's particles are, borrowed: those of cell c are [start[c], start[c + 1]).
struct SortedCells
{
    std::int64_t count;              ///< cells listed: every one, or the occupied ones in order
    std::int32_t const* start;       ///< [count + 1]
    Vec3<std::int32_t> const* cell;  ///< [count] in a sparse grid; null in a dense one

    Vec3<std::int32_t> coordinates(std::int64_t c, CellGrid const& grid) const
    {
        return cell != nullptr
                   ? cell[c]
                   : Vec3<std::int32_t>{static_cast<std::int32_t>(c % grid.cells.x),
                                        static_cast<std::int32_t>(c / grid.cells.x % grid.cells.y),
                                        static_cast<std::int32_t>(c / grid.cells.x / grid.cells.y)};
    }
};

/// A sort and its memory, which is kept from one sort to the next.
class CellSort
{
public:
    /// Orders `count` particles by (cell, id) in a dense grid, or in a sparse one if the dense
    /// one had to be widened and its cells crowd, or very much; returns the grid. `id` [particle]
    /// breaks ties.
    CellGrid sort(Vec3<double> const* position, std::int64_t const* id, std::int64_t count,
                  GridSpec const& spec);

    /// The same in a given grid.
    void sort(Vec3<double> const* position, std::int64_t const* id, std::int64_t count,
              CellGrid const& grid);

    /// order[new index] = old index.
    std::vector<std::int32_t> const& order() const
    {
        return order_;
    }
    SortedCells cells() const
    {
        return {static_cast<std::int64_t>(start_.size()) - 1, start_.data(),
                layout_ == CellLayout::sparse ? cell_.data() : nullptr};
    }
    std::int64_t bytes() const;

private:
    struct Entry
    {
        Vec3<std::int32_t> cell;
        std::int32_t index;
        std::int64_t id;
    };

    void count_dense(Vec3<double> const* position, std::int64_t count, CellGrid const& grid);
    bool crowds() const;
    void order_dense(std::int64_t const* id);
    void sort_sparse(Vec3<double> const* position, std::int64_t const* id, std::int64_t count,
                     CellGrid const& grid);

    CellLayout layout_ = CellLayout::dense;
    std::vector<std::int32_t> order_, start_{0};
    std::vector<std::int64_t> cell_index_;  // [particle] dense
    std::vector<Vec3<std::int32_t>> cell_;  // [occupied cell] sparse
    std::vector<Entry> entry_;              // [particle] sparse
};

/// Particles [begin, end) in the order of a sort.
struct ParticleRun
{
    std::int32_t begin, end;
};

/// Finds the particles of neighboring cells along x. In a sparse grid by search from where the
/// corresponding row of the cell before was: cells are gone through in order, so that it is near.
/// One a thread.
class RowFinder
{
public:
    RowFinder(SortedCells const& cells, CellGrid const& grid) : cells_(cells), grid_(grid)
    {
    }

    /// Begins with the rows around the next cell.
    void next_cell()
    {
        row_ = 0;
    }

    /// The particles of cells from `first` to the one at `last_x` of the same row.
    ParticleRun find(Vec3<std::int32_t> first, std::int32_t last_x)
    {
        if (cells_.cell == nullptr)
        {
            std::int64_t const cell = cell_index(first, grid_);
            return {cells_.start[cell], cells_.start[cell + last_x - first.x + 1]};
        }
        return find_sparse(first, last_x);
    }

private:
    ParticleRun find_sparse(Vec3<std::int32_t> first, std::int32_t last_x);

    SortedCells cells_;
    CellGrid grid_;
    std::size_t row_ = 0;
    std::vector<std::int64_t> last_found_;  // [row around a cell] where it was last
};

/// Calls use(run) for the particles of every cell within the grid's reach of `cell`.
template <class Use>
void for_each_run_around(Vec3<std::int32_t> cell, CellGrid const& grid, RowFinder& rows,
                         Use const& use)
{
    CellRuns const xs = cell_runs(cell.x, grid.reach.x, grid.cells.x, grid.boundary.x);
    CellRuns const ys = cell_runs(cell.y, grid.reach.y, grid.cells.y, grid.boundary.y);
    CellRuns const zs = cell_runs(cell.z, grid.reach.z, grid.cells.z, grid.boundary.z);
    auto const for_each_cell = [](CellRuns const& runs, auto const& visit) {
        for (int run = 0; run < 2; ++run)
        {
            for (std::int32_t c = runs.first[run]; c <= runs.last[run]; ++c)
            {
                visit(c);
            }
        }
    };
    rows.next_cell();
    for_each_cell(zs, [&](std::int32_t z) {
        for_each_cell(ys, [&](std::int32_t y) {
            for (int run = 0; run < 2 && xs.first[run] <= xs.last[run]; ++run)
            {
                // Cells along x are neighbors in memory: one run of particles.
                use(rows.find({xs.first[run], y, z}, xs.last[run]));
            }
        });
    });
}

}  // namespace tessera::cpu
