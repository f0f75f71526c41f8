#include <algorithm>
#include <cmath>

#include "engine/initial.hpp"
#include "engine/point_grid.hpp"

namespace tessera
{

std::optional<ClosePair> find_closest_below(State const& state, double distance)
{
    Box const& box = state.box;
    if (state.position.empty() || !(distance > 0.0))
    {
        return std::nullopt;
    }
    Vec3<double> low{}, extent = box.edges;
    for (int axis = 0; axis < 3; ++axis)
    {
        if (!box.periodic(axis))
        {
            auto const [least, most] = std::minmax_element(
                state.position.begin(), state.position.end(),
                [axis](Vec3<double> const& a, Vec3<double> const& b) { return a[axis] < b[axis]; });
            low[axis] = (*least)[axis];
            extent[axis] = (*most)[axis] - (*least)[axis];
        }
    }
    PointGrid grid(box, low, extent, distance, state.particle_count());
    std::optional<ClosePair> closest;
    double closest_sq = distance * distance;
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        Vec3<double> place = state.position[particle];
        Vec3<std::int32_t> image;
        wrap(place, image, box);
        // Only the particles before this one are in the grid: every pair is met once.
        grid.for_each_near(place, [&](std::int64_t other) {
            auto const before = static_cast<std::size_t>(other);
            Vec3<double> const separation = minimum_image(place - state.position[before], box);
            double const distance_sq = dot(separation, separation);
            if (distance_sq < closest_sq)
            {
                closest_sq = distance_sq;
                closest = ClosePair{state.id[before], state.id[particle], std::sqrt(distance_sq)};
            }
            return true;
        });
        grid.add(place);
    }
    return closest;
}

}  // namespace tessera
