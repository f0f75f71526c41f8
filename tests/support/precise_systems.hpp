#pragma once
/// Particles where stored coordinates have lost precision: far away, in long boxes, in other units,
/// half an edge apart.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/brute_force.hpp"
#include "tests/support/systems.hpp"

namespace tessera::test
{

/// A droplet of 108 particles with a corner at `origin`.
inline std::vector<Vec3<double>> droplet_at(Vec3<double> origin)
{
    Vec3<double> edges{};
    auto droplet = fcc_positions({3, 3, 3}, 0.8, 0.1, 8, edges);
    for (Vec3<double>& position : droplet)
    {
        position += origin;
    }
    return droplet;
}

/// Systems whose forces are those of a droplet near the origin of a small box, to rounding.
inline std::vector<System> far_systems()
{
    std::vector<System> systems;
    Config const lj = lennard_jones_config();
    Config const mixture = mixture_config();
    auto const add = [&](std::string name, Config const& config, Box const& box,
                         std::vector<Vec3<double>> positions) {
        systems.push_back({std::move(name), config, state_at(config, box, std::move(positions))});
    };
    Box const open = cube(30.0, Boundary::open);
    for (double const far : {1e3, 1e6, 1e9})
    {
        auto droplet = droplet_at({});
        droplet.insert(droplet.begin() + 17, {far, -0.3 * far, 2.0});
        add("droplet, one particle " + std::to_string(far) + " away", lj, open, droplet);
        add("mixed droplet, one particle " + std::to_string(far) + " away", mixture, open, droplet);
    }
    add("droplet at a coordinate of a million", lj, open, droplet_at({1e6, -1e6, 1e6}));
    // Eleven copies at distances that any extent divides about evenly.
    std::vector<Vec3<double>> row;
    for (int n = 0; n < 11; ++n)
    {
        auto const droplet = droplet_at({7.77 * n * n, 0.1 * n, -1e3 * n});
        row.insert(row.end(), droplet.begin(), droplet.end());
    }
    add("droplets in a row", mixture, open, row);

    Box const rod{{1e5, 12.0, 12.0}, {}};
    auto across = droplet_at({-2.0, 3.0, 9.0});
    for (int n = 1; n < 100; ++n)
    {
        across.push_back({973.1 * n, 0.1 * n, 5.0});
        across.push_back({973.1 * n + 1.1, 0.1 * n + 0.2, 5.3});
    }
    add("droplet across the face of an edge of 1e5", lj, rod, across);
    Box slab = rod;
    slab.boundary.y = Boundary::open;
    add("the same, open along y", mixture, slab, across);
    return systems;
}

/// The same physics with lengths in units of 1 / `length` sigma and energies of 1 / `energy`
/// epsilon.
inline System in_units(System system, double length, double energy)
{
    Config& config = system.config;
    config.potential.cutoff *= length;
    config.potential.switch_on *= length;
    config.neighbor.skin *= length;
    for (PairConfig& pair : config.potential.pairs)
    {
        pair.epsilon *= energy;
        pair.sigma *= length;
        if (pair.cutoff)
        {
            *pair.cutoff *= length;
        }
    }
    system.state.box.edges = length * system.state.box.edges;
    for (Vec3<double>& position : system.state.position)
    {
        position = length * position;
    }
    system.name += ", sigma " + std::to_string(length);
    return system;
}

/// A perfect fcc crystal of 2 x 2 x `along` cells, as wide as the cutoff each: along x and y every
/// particle has another exactly half an edge away.
inline System half_edge_crystal(double cutoff, int along)
{
    Config const config = lennard_jones_config(cutoff);
    Vec3<double> edges{};
    auto positions = fcc_positions({2, 2, along}, 4.0 / (cutoff * cutoff * cutoff), 0.0, 1, edges);
    edges = {2.0 * cutoff, 2.0 * cutoff, along * cutoff};
    return {"crystal with an edge of two cutoffs", config,
            state_at(config, {edges, {}}, std::move(positions))};
}

/// The largest force that rounding may leave on such a particle, whose neighbors cancel: a small
/// part of what one pair at the cutoff would add, and far more than packing leaves.
inline double force_left(double cutoff)
{
    return 0.01 * std::abs(pair_energy_and_force(cutoff * (1.0 - 1e-9), {1.0, 1.0, cutoff},
                                                 Truncation::sharp, 0.0)
                               .second);
}

/// Energy a particle of a perfect fcc crystal with lattice constant `a`, every pair truly within
/// the cutoff counted, shells at the cutoff itself left out.
inline double fcc_energy(double a, double cutoff)
{
    int const reach = static_cast<int>(cutoff / a * 2.0) + 2;
    double sum = 0.0;
    // fcc: half lattice constants whose coordinates add up to an even number.
    for (int x = -reach; x <= reach; ++x)
    {
        for (int y = -reach; y <= reach; ++y)
        {
            for (int z = -reach; z <= reach; ++z)
            {
                double const r_sq = 0.25 * a * a * (x * x + y * y + z * z);
                bool const site = (x + y + z) % 2 == 0 && r_sq > 0.0;
                if (site && r_sq < cutoff * cutoff * (1.0 - 1e-9))
                {
                    double const s6 = 1.0 / (r_sq * r_sq * r_sq);
                    sum += 2.0 * (s6 * s6 - s6);
                }
            }
        }
    }
    return sum;
}

}  // namespace tessera::test
