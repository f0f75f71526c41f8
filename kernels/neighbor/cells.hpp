#pragma once
/// The cell grid: which bin of space a position falls into, and which bins hold its neighbors.

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// Where particles are along each axis: the box along periodic axes, their extremes along open
/// ones.
struct Bounds
{
    Vec3<double> low, high;  ///< [sigma]
};

/// Which cells of a grid are listed when particles are sorted: every one, or those that hold
/// particles. The order is the same: z, then y, then x, so that cells along x are neighbors.
enum class CellLayout : std::uint8_t
{
    dense,
    sparse
};

/// A regular grid over the bounds. Cells are numbered x fastest; `reach` cells on each side of a
/// particle's own hold everything within the radius that the grid was made for.
struct CellGrid
{
    CellLayout layout = CellLayout::dense;
    double widening = 1.0;  ///< how many times wider than asked cells are, so that there are few
    Vec3<std::int32_t> cells{1, 1, 1};  ///< per axis
    Vec3<std::int32_t> reach{0, 0, 0};  ///< per axis
    Vec3<double> origin{};              ///< [sigma]
    Vec3<double> inv_edge{};            ///< cells per [sigma]
    Vec3<Boundary> boundary{};

    TESSERA_HD std::int64_t cell_count() const
    {
        return static_cast<std::int64_t>(cells.x) * cells.y * cells.z;
    }
    /// Width of a cell [sigma]; 0 along an axis on which nothing extends.
    TESSERA_HD double width(int axis) const
    {
        return inv_edge[axis] > 0.0 ? 1.0 / inv_edge[axis] : 0.0;
    }
};

/// A grid has at most this many cells along an axis: they are wider beyond it. Leaves room for
/// reach in 32 bits.
inline constexpr std::int32_t most_cells_along = 1 << 30;

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

/// Whether cell `a` comes before cell `b` in the order of cells.
TESSERA_HD bool precedes(Vec3<std::int32_t> a, Vec3<std::int32_t> b)
{
    return a.z != b.z ? a.z < b.z : (a.y != b.y ? a.y < b.y : a.x < b.x);
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

/// What a grid is laid for: searches within `radius` through cells of about `edge` [sigma].
struct GridSpec
{
    Box box;
    Bounds bounds;
    Vec3<double> edge;
    double radius;
};

/// A dense grid of cells of `edge` or a little more, wider where that would exceed about four cells
/// a particle: good for particles that are spread evenly, however thinly.
CellGrid lay_dense(GridSpec const& spec, std::int64_t particle_count);

/// Cells of a widened grid crowd if a particle's own holds more than this on average: the work of a
/// search grows with it, and a sparse grid costs less from 30 to 50 on (droplets of 11 000
/// particles with up to 99 000 in a gas around them; Intel Xeon, 2026).
inline constexpr double crowded_cell = 32.0;

/// Cells widened more than this serve nobody: what a search meets is then so far away that fixed
/// point no longer resolves it as finely as a float.
inline constexpr double most_widening = 16.0;

/// A sparse grid of cells of `edge` or a little more, however many: good for particles that crowd
/// in the cells of a widened grid because some are far away. A search costs what is near.
CellGrid lay_sparse(GridSpec const& spec);

namespace cpu
{

/// The extremes of `position` along open axes, the box along periodic ones.
Bounds find_bounds(Vec3<double> const* position, std::int64_t count, Box const& box);

}  // namespace cpu
}  // namespace tessera
