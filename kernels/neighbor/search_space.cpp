#include "kernels/neighbor/search_space.hpp"

#include <algorithm>

namespace tessera
{

PairSpace cell_search_space(Box const& box, CellGrid const& grid, double list_radius)
{
    Vec3<double> needed{};
    for (int axis = 0; axis < 3; ++axis)
    {
        double const farthest = (grid.reach[axis] + 1) * grid.width(axis);
        needed[axis] = std::max(farthest + list_radius, 2.0 * list_radius) * space_margin;
    }
    return make_pair_space(box, needed);
}

PairSpace cluster_search_space(Box const& box, CellGrid const& grid, double list_radius)
{
    // A member is up to `span` from the leader and its neighbors up to the radius from it, so that
    // half an extent must hold both. That also keeps aliases away: a candidate is at most a cell
    // further from the member than the radius and the span.
    Vec3<double> needed{};
    for (int axis = 0; axis < 3; ++axis)
    {
        double const span = (axis == 0 ? cluster_cells + 1 : 1) * grid.width(axis);
        needed[axis] = std::max(2.0 * (span + list_radius), 4.0 * list_radius) * space_margin;
    }
    return make_pair_space(box, needed);
}

double cluster_span(CellGrid const& grid, double list_radius)
{
    double longest = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        longest = std::max(longest, (axis == 0 ? cluster_cells + 1 : 1) * grid.width(axis));
    }
    return longest + list_radius;
}

}  // namespace tessera
