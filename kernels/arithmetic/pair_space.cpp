#include "kernels/arithmetic/pair_space.hpp"

#include <algorithm>

namespace tessera
{
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
    double const needed = 2.0 * (list_radius + skin) * space_margin;
    return make_pair_space(box, {needed, needed, needed});
}

}  // namespace tessera
