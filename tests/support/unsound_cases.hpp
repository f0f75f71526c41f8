#pragma once
/// Particles whose numbers are no result, for every backend: the same rule and the same words.

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/config/errors.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

namespace tessera::test
{

using MakeBackend = std::function<std::unique_ptr<Backend>(Config const&)>;

/// Every path, precision, list mode and chunk format, and both ways from rows to forces.
inline std::vector<Config> all_ways(Config const& base)
{
    std::vector<Config> ways;
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        for (Precision const precision : {Precision::mixed, Precision::double_, Precision::single})
        {
            for (NeighborConfig const neighbor : {NeighborConfig{Rebuild::every_step, 0.0},
                                                  NeighborConfig{Rebuild::every_step, 0.3},
                                                  NeighborConfig{Rebuild::on_displacement, 0.3}})
            {
                for (ChunkFormat const format : {ChunkFormat::packed, ChunkFormat::plain})
                {
                    Config way = base;
                    way.force = {path, precision};
                    way.neighbor = neighbor;
                    way.reorder.format = format;
                    ways.push_back(way);
                    way.reorder.chunk_particles = 32;
                    ways.push_back(way);
                }
            }
        }
    }
    return ways;
}

/// Particles 3 and 9 of twelve meet head on: they start beyond each other's cutoff, so that nothing
/// but their speed moves them, and after one step of 0.25 are `miss` apart.
inline State head_on(Config const& config, double miss)
{
    std::vector<Vec3<double>> positions;
    for (int i = 0; i < 12; ++i)
    {
        positions.push_back({1.0 + 2.5 * (i % 4), 1.0 + 2.5 * (i / 4), 8.0});
    }
    positions[2] = {4.0, 5.0, 3.0};
    positions[8] = {6.0 + miss, 5.0, 3.0};
    State state = state_at(config, {{10.0, 10.0, 10.0}, {}}, positions);
    state.velocity[2] = {4.0, 0.0, 0.0};
    state.velocity[8] = {-4.0, 0.0, 0.0};
    return state;
}

inline void coincident_particles_are_found(MakeBackend const& make)
{
    for (Truncation const truncation :
         {Truncation::shifted, Truncation::force_shifted, Truncation::switched})
    {
        Config base = lennard_jones_config(1.5, truncation);
        base.run.dt = 0.25;
        for (Config const& config : all_ways(base))
        {
            // 1e-7 is below the step of packed displacements, and below that of float positions.
            for (double const miss : {0.0, 1e-7})
            {
                CAPTURE(config.force.path, config.force.precision, config.neighbor.skin,
                        config.reorder.format, truncation, miss);
                auto const backend = make(config);
                backend->load(head_on(config, miss));
                CHECK_FALSE(backend->find_unsound());
                backend->advance(1);
                CHECK(backend->find_unsound() == 3);
                std::string const message = message_of<RunError>([&] { backend->advance(1); });
                CHECK(mentions(message, "step 2: particle 3 at (5, 5, 3)"));
                CHECK(mentions(message,
                               miss == 0.0 ? "particle 9 is at its place" : "particle 9 is"));
                CHECK(mentions(message, "smaller run.dt"));
            }
        }
    }
}

/// Ids name particles and do not place them: what is said of one says its id.
inline void ids_name_particles(MakeBackend const& make)
{
    Config config = lennard_jones_config(1.5, Truncation::shifted);
    config.run.dt = 0.25;
    State state = head_on(config, 0.0);
    for (std::int64_t& id : state.id)
    {
        id = (std::int64_t{1} << 40) + 10 * id;
    }
    auto const backend = make(config);
    backend->load(state);
    backend->advance(1);
    CHECK(backend->find_unsound() == state.id[2]);
    std::string const message = message_of<RunError>([&] { backend->advance(1); });
    CHECK(mentions(message, "step 2: particle 1099511627806 at (5, 5, 3)"));
    CHECK(mentions(message, "particle 1099511627866 is at its place"));
}

/// One species, or two, of which no pair acts.
inline Config without_interaction(Truncation truncation, std::size_t species)
{
    Config config = lennard_jones_config(1.5, truncation);
    config.run.dt = 0.25;
    config.potential.pairs[0].epsilon = 0.0;
    if (species == 2)
    {
        config.system.species.push_back({"B", 1.0, std::nullopt});
        config.potential.pairs.push_back({"A", "B", 0.0, 1.0, std::nullopt});
        config.potential.pairs.push_back({"B", "B", 0.0, 1.0, std::nullopt});
    }
    return config;
}

inline void may_coincide(MakeBackend const& make, Config const& config)
{
    CAPTURE(config.force.path, config.force.precision, config.neighbor.skin, config.reorder.format,
            config.system.species.size());
    auto const backend = make(config);
    State state = head_on(config, 0.0);
    backend->load(state);
    backend->advance(1);
    CHECK_FALSE(backend->find_unsound());
    Sample const sample = backend->sample();
    CHECK(sample.potential_energy == 0.0);
    CHECK(trace(sample.virial) == 0.0);
    std::vector<std::uint64_t> pairs(10, 0);
    backend->count_pairs(pairs);
    CHECK(pairs[0] == 1);
    backend->advance(1);
    backend->save(state);
    CHECK(state.position[2] == Vec3<double>{6.0, 5.0, 3.0});
    CHECK(state.position[8] == Vec3<double>{4.0, 5.0, 3.0});
}

/// Particles that feel nothing may be at one place, and are neighbors all the same.
inline void free_particles_may_coincide(MakeBackend const& make)
{
    for (std::size_t const species : {1U, 2U})
    {
        for (Truncation const truncation :
             {Truncation::shifted, Truncation::force_shifted, Truncation::switched})
        {
            for (Config const& config : all_ways(without_interaction(truncation, species)))
            {
                may_coincide(make, config);
            }
        }
    }
}

inline State one_flying(Config const& config, Box const& box, Vec3<double> position,
                        Vec3<double> velocity)
{
    State state = state_at(config, box, {{5.0, 5.0, 5.0}, position, {1.0, 2.0, 3.0}});
    state.position[1] = position;
    state.velocity[1] = velocity;
    return state;
}

inline void one_rule_for_runaways(MakeBackend const& make)
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    Config config = lennard_jones_config();
    config.run.dt = 0.01;
    auto const says = [&](Box const& box, Vec3<double> position, Vec3<double> velocity) {
        auto const backend = make(config);
        backend->load(one_flying(config, box, position, velocity));
        std::optional<std::int64_t> const unsound = backend->find_unsound();
        std::string const message = message_of<RunError>([&] { backend->advance(1); });
        // What may not move is no result before it moves either.
        CHECK(unsound == (message.empty() ? std::nullopt : std::optional<std::int64_t>(2)));
        if (!message.empty())
        {
            State left;
            backend->save(left);
            CHECK(left.position[1] == position);
        }
        return message;
    };
    Vec3<double> const at{8.0, 8.0, 8.0};
    Box const closed{{20.0, 30.0, 40.0}, {}};
    CHECK(says(closed, at, {999.0, 0.0, 0.0}).empty());
    CHECK(says(closed, at, {0.0, 0.0, -1999.0}).empty());
    CHECK(mentions(says(closed, at, {1001.0, 0.0, 0.0}),
                   "step 1: particle 2 at (8, 8, 8) has speed 1001 and feels a force of"));
    CHECK(mentions(says(closed, at, {1001.0, 0.0, 0.0}),
                   "10.01 along x in one step, more than "
                   "half a box"));
    CHECK(mentions(says(closed, at, {0.0, -1501.0, 0.0}), "-15.01 along y"));
    CHECK(!says(closed, at, {0.0, 0.0, inf}).empty());
    CHECK(!says(closed, at, {0.0, 0.0, std::numeric_limits<double>::quiet_NaN()}).empty());

    // Along an open axis the nominal edge is no bound, nor is where the other particles are.
    Box open{{20.0, 30.0, 40.0}, {}};
    open.boundary.z = Boundary::open;
    CHECK(says(open, at, {0.0, 0.0, 2e5}).empty());
    CHECK(says(open, {8.0, 8.0, -1e8}, {0.0, 0.0, -2e5}).empty());
    CHECK(mentions(says(open, at, {0.0, 0.0, 3e5}),
                   "3000 along z in one step, more than 1024 "
                   "list radii"));
    CHECK(mentions(says(open, at, {1001.0, 0.0, 0.0}), "along x"));
    double const far = farthest_held(2.5 + config.neighbor.skin);
    CHECK(says(open, {8.0, 8.0, far - 10.0}, {0.0, 0.0, 900.0}).empty());
    CHECK(mentions(says(open, {8.0, 8.0, far - 10.0}, {0.0, 0.0, 1100.0}),
                   "further than positions "
                   "are held"));
}

/// Image counts end the run before they overflow.
inline void images_do_not_overflow(MakeBackend const& make)
{
    Config config = lennard_jones_config();
    config.run.dt = 0.01;
    Box const box{{20.0, 20.0, 20.0}, {}};
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    for (int const sign : {1, -1})
    {
        State state =
            one_flying(config, box, {sign > 0 ? 19.5 : 0.5, 9.0, 9.0}, {sign * 100.0, 0.0, 0.0});
        state.image[1].x = sign * (most - 1);
        auto const backend = make(config);
        backend->load(state);
        backend->advance(1);
        backend->save(state);
        CHECK(state.image[1].x == sign * most);
        backend->advance(19);
        std::string const message = message_of<RunError>([&] { backend->advance(1); });
        CHECK(mentions(message, "step 21: particle 2"));
        CHECK(mentions(message, "2147483647 times"));
        backend->save(state);
        CHECK(state.image[1].x == sign * most);
    }
}

}  // namespace tessera::test
