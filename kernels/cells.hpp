#pragma once
/// The cell grid: which bin of space a position falls into, and which bins hold its neighbors.

#include <algorithm>
#include <cstdint>

#include "kernels/box.hpp"
#include "kernels/host_device.hpp"
#include "kernels/vec3.hpp"

namespace tessera
{

/// Where particles are along each axis: the box along periodic axes, their extremes along open
/// ones.
struct Bounds
{
    Vec3<double> low, high;  ///< [sigma]
};

/// A regular grid over the bounds. Cells are numbered x fastest; `reach` cells on each side of a
/// particle's own hold everything within the radius that the grid was made for.
struct CellGrid
{
    Vec3<std::int32_t> cells{1, 1, 1};  ///< per axis
    Vec3<std::int32_t> reach{0, 0, 0};  ///< per axis
    Vec3<double> origin{};              ///< [sigma]
    Vec3<double> inv_edge{};            ///< cells per [sigma]
    Vec3<Boundary> boundary{};

    TESSERA_HD std::int64_t cell_count() const
    {
        return static_cast<std::int64_t>(cells.x) * cells.y * cells.z;
    }
};

TESSERA_HD std::int32_t cell_coordinate(double position, double origin, double inv_edge, int cells)
{
    // A position on the upper face, or rounded past it, belongs to the last cell.
    auto const cell = static_cast<std::int32_t>((position - origin) * inv_edge);
    return cell < 0 ? 0 : (cell >= cells ? cells - 1 : cell);
}

/// The cell of a wrapped position.
TESSERA_HD Vec3<std::int32_t> cell_of(Vec3<double> position, CellGrid const& grid)
{
    return {cell_coordinate(position.x, grid.origin.x, grid.inv_edge.x, grid.cells.x),
            cell_coordinate(position.y, grid.origin.y, grid.inv_edge.y, grid.cells.y),
            cell_coordinate(position.z, grid.origin.z, grid.inv_edge.z, grid.cells.z)};
}

TESSERA_HD std::int64_t cell_index(Vec3<std::int32_t> cell, CellGrid const& grid)
{
    return (static_cast<std::int64_t>(cell.z) * grid.cells.y + cell.y) * grid.cells.x + cell.x;
}

/// The cells to visit along one axis around `cell`, each exactly once, as up to two runs
/// [first, last]; the second is empty unless the first ran over a periodic face.
struct CellRuns
{
    std::int32_t first[2];
    std::int32_t last[2];
};

TESSERA_HD CellRuns cell_runs(int cell, int reach, int cells, Boundary boundary)
{
    int const low = cell - reach;
    int const high = cell + reach;
    if (boundary == Boundary::open)
    {
        return {{low < 0 ? 0 : low, 0}, {high >= cells ? cells - 1 : high, -1}};
    }
    if (high - low + 1 >= cells)
    {
        return {{0, 0}, {cells - 1, -1}};
    }
    if (low < 0)
    {
        return {{0, low + cells}, {high, cells - 1}};
    }
    if (high >= cells)
    {
        return {{low, 0}, {cells - 1, high - cells}};
    }
    return {{low, 0}, {high, -1}};
}

/// A grid whose cells are about half of `radius` wide, fewer where that would exceed about four
/// cells a particle (dilute or open systems).
CellGrid make_cell_grid(Box const& box, Bounds const& bounds, double radius,
                        std::int64_t particle_count);

namespace cpu
{

/// The extremes of `position` along open axes, the box along periodic ones.
Bounds find_bounds(Vec3<double> const* position, std::int64_t count, Box const& box);

/// Orders particles by (cell, rank): order[new index] = old index, and particles of cell c are
/// [start[c], start[c + 1]). `rank` breaks ties and is a particle's place in id order, so the order
/// depends on positions alone. `cell` [particle] is scratch; `start` holds cell_count + 1 entries.
void sort_by_cell(Vec3<double> const* position, std::int32_t const* rank, std::int64_t count,
                  CellGrid const& grid, std::int64_t* cell, std::int32_t* start,
                  std::int32_t* order);

}  // namespace cpu
}  // namespace tessera
