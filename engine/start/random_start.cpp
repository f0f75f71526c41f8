#include "engine/start/random_start.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/start/point_grid.hpp"
#include "kernels/arithmetic/random.hpp"

namespace tessera
{
namespace
{

[[noreturn]] void refuse(RandomConfig const& random, std::string const& reason)
{
    double const d = random.min_distance;
    throw ConfigError(fmt::format(
        "system.random: {} particles at density {} do not fit with min_distance {}: {}; lower "
        "density to {:.4g}, or min_distance to {:.4g}, or start from a lattice",
        random.count, random.density, d, reason, feasible_density / (d * d * d),
        std::cbrt(feasible_density / random.density)));
}

}  // namespace

std::vector<Vec3<double>> random_positions(RandomConfig const& random, Box const& box,
                                           std::uint64_t seed)
{
    double const distance_sq = random.min_distance * random.min_distance;
    if (random.density * distance_sq * random.min_distance > saturated_density)
    {
        refuse(random, "random placement leaves no room beyond density x min_distance^3 = 0.734");
    }
    std::vector<Vec3<double>> positions;
    positions.reserve(static_cast<std::size_t>(random.count));
    PointGrid grid(box, {}, box.edges, random.min_distance, random.count);
    auto const is_free = [&](Vec3<double> const& place) {
        bool free = true;
        grid.for_each_near(place, [&](std::int64_t other) {
            Vec3<double> const separation =
                minimum_image(place - positions[static_cast<std::size_t>(other)], box);
            free = dot(separation, separation) >= distance_sq;
            return free;
        });
        return free;
    };
    // At the feasible density some 250 trials a particle are enough.
    std::int64_t trials_left = 100'000 + 1000 * random.count;
    for (std::int64_t particle = 0; particle < random.count; ++particle)
    {
        for (std::uint64_t trial = 0;; ++trial)
        {
            if (--trials_left < 0)
            {
                refuse(random, fmt::format("{} found a place in {} trials", particle,
                                           100'000 + 1000 * random.count));
            }
            RandomKey const key{seed, trial, static_cast<std::uint64_t>(particle + 1),
                                RandomPurpose::placement};
            Vec3<double> place = random_uniforms(key);
            for (int axis = 0; axis < 3; ++axis)
            {
                place[axis] *= box.edges[axis];
                // The product may round up onto the face, which is the lower face of the box.
                place[axis] = place[axis] < box.edges[axis] ? place[axis] : 0.0;
            }
            if (is_free(place))
            {
                grid.add(place);
                positions.push_back(place);
                break;
            }
        }
    }
    return positions;
}

}  // namespace tessera
