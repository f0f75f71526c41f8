#include "kernels/pair_space.hpp"

#include <algorithm>

namespace tessera
{
namespace
{

/// Above the rounding of every distance and extent that is compared here, in every precision.
constexpr double margin = 1.0 + 1e-5;

}  // namespace

PairSpace make_pair_space(Box const& box, Vec3<double> needed)
{
    PairSpace space{};
    for (int axis = 0; axis < 3; ++axis)
    {
        if (box.periodic(axis))
        {
            double const fractions = std::floor(box.edges[axis] / needed[axis]);
            space.extent[axis] = box.edges[axis] / std::max(fractions, 1.0);
            space.period[axis] = box.edges[axis];
        }
        else
        {
            // A length that float holds too: folding by it then does not round.
            auto const nearest = static_cast<float>(needed[axis]);
            bool const held = std::isfinite(nearest) && nearest > 0.0F;
            space.extent[axis] =
                held ? double{std::nextafter(nearest, 2.0F * nearest)} : needed[axis];
        }
        space.inv_extent[axis] = 1.0 / space.extent[axis];
    }
    return space;
}

PairSpace listed_space(Box const& box, double list_radius, double skin)
{
    double const needed = 2.0 * (list_radius + skin) * margin;
    return make_pair_space(box, {needed, needed, needed});
}

PairSpace cell_search_space(Box const& box, CellGrid const& grid, double list_radius)
{
    Vec3<double> needed{};
    for (int axis = 0; axis < 3; ++axis)
    {
        double const farthest = (grid.reach[axis] + 1) * grid.width(axis);
        needed[axis] = std::max(farthest + list_radius, 2.0 * list_radius) * margin;
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
        needed[axis] = std::max(2.0 * (span + list_radius), 4.0 * list_radius) * margin;
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
