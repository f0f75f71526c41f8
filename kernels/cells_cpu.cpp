#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cells.hpp"

namespace tessera
{

namespace
{

/// The grid with cells of at least `edge`, few or many. `slack` [cells] is what rounding may add to
/// the distance of two positions.
CellGrid divide(Box const& box, Bounds const& bounds, Vec3<double> edge, double radius,
                double slack)
{
    CellGrid grid;
    grid.boundary = box.boundary;
    grid.origin = bounds.low;
    for (int axis = 0; axis < 3; ++axis)
    {
        double const length = bounds.high[axis] - bounds.low[axis];
        double const cells =
            std::clamp(std::floor(length / edge[axis]), 1.0, static_cast<double>(most_cells_along));
        grid.cells[axis] = static_cast<std::int32_t>(cells);
        grid.inv_edge[axis] = length > 0.0 ? cells / length : 0.0;
        grid.reach[axis] = length > 0.0 ? static_cast<std::int32_t>(std::min(
                                              std::ceil(radius * cells / length + slack), cells))
                                        : 0;
    }
    return grid;
}

}  // namespace

CellGrid lay_cells(Box const& box, Bounds const& bounds, Vec3<double> edge, double radius,
                   std::int64_t particle_count)
{
    // The device's sort has keys of 32 bits.
    double const most_dense =
        std::min(4.0 * static_cast<double>(particle_count) + 64.0, 0x1p32 - 1.0);
    CellGrid const dense = divide(box, bounds, edge, radius, 0.0);
    if (static_cast<double>(dense.cells.x) * dense.cells.y * dense.cells.z <= most_dense)
    {
        return dense;
    }
    // A coordinate of 2^30 cells is rounded by 2^-23 cells, that of two positions by twice as much
    // and their scale as well. Cells a little wider than wanted make up for it: no more of them are
    // within reach.
    constexpr double slack = 0x1p-20;
    CellGrid sparse = divide(box, bounds, (1.0 + 2.0 * slack) * edge, radius, slack);
    sparse.layout = CellLayout::sparse;
    return sparse;
}

CellGrid make_cell_grid(Box const& box, Bounds const& bounds, double radius,
                        std::int64_t particle_count)
{
    double const edge = 0.5 * radius;
    return lay_cells(box, bounds, {edge, edge, edge}, radius, particle_count);
}

namespace cpu
{

Bounds find_bounds(Vec3<double> const* position, std::int64_t count, Box const& box)
{
    Bounds bounds{{0.0, 0.0, 0.0}, box.edges};
    for (int axis = 0; axis < 3; ++axis)
    {
        if (box.periodic(axis) || count == 0)
        {
            continue;
        }
        double low = std::numeric_limits<double>::max();
        double high = std::numeric_limits<double>::lowest();
#pragma omp parallel for reduction(min : low) reduction(max : high)
        for (std::int64_t particle = 0; particle < count; ++particle)
        {
            low = std::min(low, position[particle][axis]);
            high = std::max(high, position[particle][axis]);
        }
        bounds.low[axis] = low;
        bounds.high[axis] = high;
    }
    return bounds;
}

}  // namespace cpu
}  // namespace tessera
