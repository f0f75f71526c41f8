#pragma once
/// Particles far from each other, crowded or both, in much more space than they fill.

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/systems.hpp"

namespace tessera::test
{

struct Places
{
    std::string name;
    Box box;
    std::vector<Vec3<double>> position;

    std::int64_t count() const
    {
        return static_cast<std::int64_t>(position.size());
    }
};

/// A drop of liquid and others.
inline Places droplet(std::vector<Vec3<double>> const& escaped)
{
    Vec3<double> edges{};
    auto positions = fcc_positions({6, 6, 6}, 0.8442, 0.1, 1, edges);
    positions.insert(positions.end(), escaped.begin(), escaped.end());
    return {"droplet", cube(20.0, Boundary::open), positions};
}

/// `pairs` pairs of particles, each alone in a cube of `extent`.
inline Places exploding_gas(int pairs, double extent)
{
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> place(-0.5 * extent, 0.5 * extent);
    std::uniform_real_distribution<double> apart(0.6, 1.5);
    Places gas{"exploding gas", cube(20.0, Boundary::open), {}};
    for (int pair = 0; pair < pairs; ++pair)
    {
        Vec3<double> const first{place(generator), place(generator), place(generator)};
        gas.position.push_back(first);
        gas.position.push_back(first +
                               Vec3<double>{apart(generator), apart(generator), apart(generator)});
    }
    return gas;
}

inline Places elongated_box()
{
    Box const box{{1e5, 5.7, 5.9}, {}};
    std::mt19937 generator(4);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    Places places{"elongated periodic box", box, {}};
    for (int particle = 0; particle < 3000; ++particle)
    {
        // Most of them in a tenth of a percent of the length, on both sides of the face.
        double const x =
            particle % 10 == 0 ? unit(generator) * 1e5 : unit(generator) * 100.0 - 50.0;
        places.position.push_back(
            {x < 0.0 ? x + 1e5 : x, unit(generator) * 5.7, unit(generator) * 5.9});
    }
    return places;
}

inline std::vector<Places> scattered_systems()
{
    std::vector<Places> systems{elongated_box(), exploding_gas(1500, 1e6),
                                exploding_gas(1500, 1e9)};
    for (double const far : {1e3, 1e6, 1e9})
    {
        systems.push_back(droplet({{far, 0.0, 0.0}}));
        systems.push_back(droplet({{-far, far, 0.3 * far}, {1.0 - far, far, 0.3 * far}}));
    }
    for (System const& system : hard_systems())
    {
        systems.push_back({system.name, system.state.box, system.state.position});
    }
    return systems;
}

}  // namespace tessera::test
