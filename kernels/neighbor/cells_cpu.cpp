#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/neighbor/cells.hpp"

namespace tessera
{

namespace
{

/// `slack` [cells] is what rounding may add to the distance of two positions.
CellGrid divide(GridSpec const& spec, double widening, double slack)
{
    CellGrid grid;
    grid.boundary = spec.box.boundary;
    grid.origin = spec.bounds.low;
    grid.widening = widening;
    for (int axis = 0; axis < 3; ++axis)
    {
        double const length = spec.bounds.high[axis] - spec.bounds.low[axis];
        double const cells = std::clamp(std::floor(length / (widening * spec.edge[axis])), 1.0,
                                        static_cast<double>(most_cells_along));
        grid.cells[axis] = static_cast<std::int32_t>(cells);
        grid.inv_edge[axis] = length > 0.0 ? cells / length : 0.0;
        grid.reach[axis] = length > 0.0
                               ? static_cast<std::int32_t>(std::min(
                                     std::ceil(spec.radius * cells / length + slack), cells))
                               : 0;
    }
    return grid;
}

}  // namespace

CellGrid lay_dense(GridSpec const& spec, std::int64_t particle_count)
{
    // The device's sort has keys of 32 bits.
    double const most_cells =
        std::min(4.0 * static_cast<double>(particle_count) + 64.0, 0x1p32 - 1.0);
    for (double widening = 1.0;; widening *= 1.26)
    {
        CellGrid const grid = divide(spec, widening, 0.0);
        if (static_cast<double>(grid.cells.x) * grid.cells.y * grid.cells.z <= most_cells)
        {
            return grid;
        }
    }
}

CellGrid lay_sparse(GridSpec const& spec)
{
    // A coordinate of 2^30 cells is rounded by 2^-23 cells, that of two positions by twice as much
    // and their scale as well. Cells a little wider than asked make up for it: no more of them are
    // within reach.
    constexpr double slack = 0x1p-20;
    CellGrid grid = divide(spec, 1.0 + 2.0 * slack, slack);
    grid.layout = CellLayout::sparse;
    grid.widening = 1.0;
    return grid;
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
