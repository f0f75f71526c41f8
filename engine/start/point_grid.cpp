#include "engine/start/point_grid.hpp"

#include <cmath>

namespace tessera
{

PointGrid::PointGrid(Box const& box, Vec3<double> low, Vec3<double> extent, double distance,
                     std::int64_t expected)
    : boundary_(box.boundary), low_(low)
{
    double const limit = 2.0 * static_cast<double>(std::max<std::int64_t>(expected, 1)) + 64.0;
    // Cells exactly as large as the distance could lose a pair to rounding.
    double size = distance * (1.0 + 1e-9);
    auto const cells_along = [&](int axis) {
        return std::clamp(std::floor(extent[axis] / size), 1.0, limit);
    };
    if (!(size > 0.0))
    {
        size = std::max({extent.x, extent.y, extent.z}) / std::cbrt(limit);
    }
    while (cells_along(0) * cells_along(1) * cells_along(2) > limit)
    {
        size *= 1.25;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        count_[axis] = static_cast<std::int64_t>(cells_along(axis));
        cells_per_length_[axis] =
            extent[axis] > 0.0 ? static_cast<double>(count_[axis]) / extent[axis] : 0.0;
    }
    head_.assign(static_cast<std::size_t>(count_.x * count_.y * count_.z), -1);
    next_.reserve(static_cast<std::size_t>(expected));
}

void PointGrid::add(Vec3<double> const& point)
{
    auto const cell = static_cast<std::size_t>(index_of(cell_of(point)));
    next_.push_back(head_[cell]);
    head_[cell] = static_cast<std::int64_t>(next_.size()) - 1;
}

Vec3<std::int64_t> PointGrid::cell_of(Vec3<double> const& place) const
{
    Vec3<std::int64_t> cell;
    for (int axis = 0; axis < 3; ++axis)
    {
        double const scaled = std::floor((place[axis] - low_[axis]) * cells_per_length_[axis]);
        double const last = static_cast<double>(count_[axis] - 1);
        // Written so that a place outside, or not finite, still gives a cell.
        cell[axis] = scaled >= 0.0 ? static_cast<std::int64_t>(std::min(scaled, last)) : 0;
    }
    return cell;
}

PointGrid::Span PointGrid::span_of(Vec3<std::int64_t> const& center, int axis) const
{
    std::int64_t const count = count_[axis];
    bool const periodic = boundary_[axis] == Boundary::periodic;
    Span span{};
    for (std::int64_t offset = -1; offset <= 1; ++offset)
    {
        std::int64_t cell = center[axis] + offset;
        if (periodic)
        {
            cell = (cell + count) % count;
        }
        bool const inside = cell >= 0 && cell < count;
        bool const seen =
            std::find(span.cell, span.cell + span.count, cell) != span.cell + span.count;
        if (inside && !seen)
        {
            span.cell[span.count++] = cell;
        }
    }
    return span;
}

}  // namespace tessera
