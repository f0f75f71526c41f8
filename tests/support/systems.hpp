#pragma once
/// Particles in the shapes that break neighbor searches.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera::test
{

/// One species, epsilon = sigma = mass = 1.
inline Config lennard_jones_config(double cutoff = 2.5, Truncation truncation = Truncation::sharp)
{
    Config config;
    config.potential.cutoff = cutoff;
    config.potential.truncation = truncation;
    config.potential.switch_on = truncation == Truncation::switched ? 0.8 * cutoff : 0.0;
    config.device.type = DeviceType::cpu;
    config.threads = 2;
    return config;
}

/// Two species with their own epsilon, sigma and cutoffs (Kob and Andersen, PRE 51, 4626 (1995)).
inline Config mixture_config(Truncation truncation = Truncation::sharp)
{
    Config config = lennard_jones_config(2.5, truncation);
    config.system.species = {{"A", 1.0, std::nullopt}, {"B", 2.0, std::nullopt}};
    config.potential.pairs = {
        {"A", "A", 1.0, 1.0, std::nullopt}, {"A", "B", 1.5, 0.8, 2.0}, {"B", "B", 0.5, 0.88, 2.2}};
    config.potential.switch_on = truncation == Truncation::switched ? 1.6 : 0.0;
    return config;
}

/// A state around given positions, with ids 1, 2, ... and every third particle of species 1 if the
/// config has two. Positions are wrapped.
inline State state_at(Config const& config, Box const& box, std::vector<Vec3<double>> positions)
{
    State state;
    state.box = box;
    std::size_t const n = positions.size();
    state.position = std::move(positions);
    state.image.assign(n, {});
    state.velocity.assign(n, {});
    state.force.assign(n, {});
    for (std::size_t i = 0; i < n; ++i)
    {
        state.id.push_back(static_cast<std::int64_t>(i) + 1);
        state.species.push_back(config.system.species.size() > 1 && i % 3 == 2 ? 1 : 0);
        wrap(state.position[i], state.image[i], box);
    }
    for (SpeciesConfig const& species : config.system.species)
    {
        state.species_names.push_back(species.name);
        state.species_mass.push_back(species.mass);
    }
    return state;
}

/// Random velocities with no total momentum.
inline void give_velocities(State& state, double temperature, unsigned seed)
{
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal(0.0, std::sqrt(temperature));
    Vec3<double> momentum{};
    double mass = 0.0;
    for (std::size_t i = 0; i < state.velocity.size(); ++i)
    {
        double const m = state.species_mass[static_cast<std::size_t>(state.species[i])];
        state.velocity[i] = (1.0 / std::sqrt(m)) *
                            Vec3<double>{normal(generator), normal(generator), normal(generator)};
        momentum += m * state.velocity[i];
        mass += m;
    }
    for (Vec3<double>& velocity : state.velocity)
    {
        velocity += (-1.0 / mass) * momentum;
    }
}

/// fcc of the given density, each particle displaced by up to `jitter` along each axis.
inline std::vector<Vec3<double>> fcc_positions(Vec3<int> cells, double density, double jitter,
                                               unsigned seed, Vec3<double>& edges)
{
    double const a = std::cbrt(4.0 / density);
    edges = {a * cells.x, a * cells.y, a * cells.z};
    double const basis[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> shake(-jitter, jitter);
    std::vector<Vec3<double>> positions;
    for (int z = 0; z < cells.z; ++z)
    {
        for (int y = 0; y < cells.y; ++y)
        {
            for (int x = 0; x < cells.x; ++x)
            {
                for (auto const& b : basis)
                {
                    positions.push_back({(x + b[0]) * a + shake(generator),
                                         (y + b[1]) * a + shake(generator),
                                         (z + b[2]) * a + shake(generator)});
                }
            }
        }
    }
    return positions;
}

/// `count` particles at random in the box, none closer than `min_distance`.
inline std::vector<Vec3<double>> random_positions(std::size_t count, Box const& box,
                                                  double min_distance, unsigned seed)
{
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    std::vector<Vec3<double>> positions;
    while (positions.size() < count)
    {
        Vec3<double> const candidate{unit(generator) * box.edges.x, unit(generator) * box.edges.y,
                                     unit(generator) * box.edges.z};
        bool clear = true;
        for (Vec3<double> const& other : positions)
        {
            auto const d = minimum_image(candidate - other, box);
            clear = clear && dot(d, d) >= min_distance * min_distance;
        }
        if (clear)
        {
            positions.push_back(candidate);
        }
    }
    return positions;
}

struct System
{
    std::string name;
    Config config;
    State state;
};

inline Box cube(double edge, Boundary boundary = Boundary::periodic)
{
    return {{edge, edge, edge}, {boundary, boundary, boundary}};
}

/// Geometries that have broken neighbor searches, each small enough for brute force.
inline std::vector<System> hard_systems(Truncation truncation = Truncation::sharp)
{
    std::vector<System> systems;
    Config const lj = lennard_jones_config(2.5, truncation);
    Config const mixture = mixture_config(truncation);
    Vec3<double> edges{};
    auto const add = [&](std::string name, Config const& config, Box const& box,
                         std::vector<Vec3<double>> positions) {
        systems.push_back({std::move(name), config, state_at(config, box, std::move(positions))});
    };

    auto liquid = fcc_positions({5, 5, 5}, 0.8442, 0.15, 1, edges);
    add("liquid", lj, {edges, {}}, liquid);
    add("liquid mixture", mixture, {edges, {}}, liquid);
    auto minimal = fcc_positions({3, 3, 3}, 0.8442, 0.1, 2, edges);
    add("box just above two cutoffs", lj, {edges, {}}, minimal);
    auto thin = fcc_positions({3, 3, 20}, 0.8442, 0.1, 3, edges);
    add("thin and long box", lj, {edges, {}}, thin);
    Box const rod{{5.1, 5.3, 510.0}, {}};
    add("dilute rod, aspect 1 to 100", lj, rod, random_positions(300, rod, 0.9, 4));
    Box const gas = cube(40.0);
    add("dilute gas", lj, gas, random_positions(200, gas, 0.9, 5));

    auto corner = fcc_positions({4, 4, 4}, 1.0, 0.1, 6, edges);
    add("dense corner of a large box", lj, cube(60.0), corner);
    auto far_away = liquid;
    fcc_positions({5, 5, 5}, 0.8442, 0.0, 1, edges);
    for (std::size_t i = 0; i < far_away.size(); ++i)
    {
        far_away[i] += Vec3<double>{(static_cast<double>(i % 7) - 3.0) * edges.x,
                                    (static_cast<double>(i % 5) - 2.0) * edges.y,
                                    (static_cast<double>(i % 3) - 1.0) * edges.z};
    }
    add("particles many boxes away", lj, {edges, {}}, far_away);
    auto faces = fcc_positions({4, 4, 4}, 0.9, 0.0, 7, edges);
    add("particles exactly on faces", lj, {edges, {}}, faces);

    Box open = cube(30.0, Boundary::open);
    auto droplet = fcc_positions({3, 3, 3}, 0.8, 0.1, 8, edges);
    for (Vec3<double>& position : droplet)
    {
        position += Vec3<double>{-40.0, 7.0, 100.0};
    }
    add("open droplet far from the box", lj, open, droplet);
    Box slab{{12.0, 12.0, 12.0}, {Boundary::periodic, Boundary::open, Boundary::periodic}};
    add("slab open along y", mixture, slab, random_positions(400, slab, 0.85, 9));

    add("one particle", lj, cube(10.0), {{1.0, 2.0, 3.0}});
    add("one particle in the open", lj, cube(10.0, Boundary::open), {{1.0, 2.0, 3.0}});
    add("two particles across a corner", lj, cube(8.0), {{0.1, 0.1, 0.1}, {7.8, 7.7, 7.9}});
    add("37 particles", mixture, cube(9.0), random_positions(37, cube(9.0), 0.9, 10));
    return systems;
}

}  // namespace tessera::test
