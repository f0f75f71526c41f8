#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cells.hpp"

namespace tessera
{

CellGrid make_cell_grid(Box const& box, Bounds const& bounds, double radius,
                        std::int64_t particle_count)
{
    CellGrid grid;
    grid.boundary = box.boundary;
    grid.origin = bounds.low;
    double const most_cells = 4.0 * static_cast<double>(particle_count) + 64.0;
    // Widening the cells until their number fits keeps dilute boxes from drowning in empty cells.
    for (double edge = 0.5 * radius;; edge *= 1.26)
    {
        double product = 1.0;
        for (int axis = 0; axis < 3; ++axis)
        {
            double const length = bounds.high[axis] - bounds.low[axis];
            double const cells = std::clamp(std::floor(length / edge), 1.0, 1048576.0);
            grid.cells[axis] = static_cast<std::int32_t>(cells);
            grid.inv_edge[axis] = length > 0.0 ? cells / length : 0.0;
            grid.reach[axis] =
                length > 0.0
                    ? static_cast<std::int32_t>(std::min(std::ceil(radius * cells / length), cells))
                    : 0;
            product *= cells;
        }
        if (product <= most_cells)
        {
            return grid;
        }
    }
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

void sort_by_cell(Vec3<double> const* position, std::int32_t const* rank, std::int64_t count,
                  CellGrid const& grid, std::int64_t* cell, std::int32_t* start,
                  std::int32_t* order)
{
    std::int64_t const cells = grid.cell_count();
#pragma omp parallel for schedule(static)
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        cell[particle] = cell_index(cell_of(position[particle], grid), grid);
    }
    // Counting is serial: it is short beside building the lists, and independent of threads.
    std::fill(start, start + cells + 1, 0);
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        ++start[cell[particle]];
    }
    std::int32_t sum = 0;
    for (std::int64_t c = 0; c <= cells; ++c)
    {
        std::int32_t const in_cell = c < cells ? start[c] : 0;
        start[c] = sum;
        sum += in_cell;
    }
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        order[start[cell[particle]]++] = static_cast<std::int32_t>(particle);
    }
    for (std::int64_t c = cells; c > 0; --c)
    {
        start[c] = start[c - 1];
    }
    start[0] = 0;
#pragma omp parallel for schedule(dynamic, 256)
    for (std::int64_t c = 0; c < cells; ++c)
    {
        std::sort(order + start[c], order + start[c + 1],
                  [&](std::int32_t a, std::int32_t b) { return rank[a] < rank[b]; });
    }
}

}  // namespace cpu
}  // namespace tessera
