/// What may not be written as a result: coincident particles, runaways, images; the same rule and
/// the same words on every device.

#include "engine/state/soundness.hpp"

#include <limits>
#include <string>
#include <vector>

#include "engine/config/errors.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

/// Every path, precision, list mode and chunk format, and both ways from rows to forces.
std::vector<Config> all_ways(Config const& base)
{
    std::vector<Config> ways;
    for (Config way : all_modes(base))
    {
        for (ChunkFormat const format : {ChunkFormat::packed, ChunkFormat::plain})
        {
            way.reorder.format = format;
            way.reorder.chunk_particles.reset();
            ways.push_back(way);
            way.reorder.chunk_particles = 32;
            ways.push_back(way);
        }
    }
    return ways;
}

/// Particles 3 and 9 of twelve meet head on: they start beyond each other's cutoff, so that nothing
/// but their speed moves them, and after one step of 0.25 are `miss` apart.
State head_on(Config const& config, double miss)
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

/// One species, or two, of which no pair acts.
Config without_interaction(Truncation truncation, std::size_t species)
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

void may_coincide(Config const& config)
{
    CAPTURE(config.force.path, config.force.precision, config.neighbor.skin, config.reorder.format,
            config.system.species.size());
    auto const backend = on_device(config);
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

State one_flying(Config const& config, Box const& box, Vec3<double> position, Vec3<double> velocity)
{
    State state = state_at(config, box, {{5.0, 5.0, 5.0}, position, {1.0, 2.0, 3.0}});
    state.position[1] = position;
    state.velocity[1] = velocity;
    return state;
}

}  // namespace

TEST_CASE("coincident particles are found on every path, and both are named")
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
                auto const backend = on_device(config);
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

TEST_CASE("ids name particles, however large they are")
{
    Config config = lennard_jones_config(1.5, Truncation::shifted);
    config.run.dt = 0.25;
    State state = head_on(config, 0.0);
    for (std::int64_t& id : state.id)
    {
        id = (std::int64_t{1} << 40) + 10 * id;
    }
    auto const backend = on_device(config);
    backend->load(state);
    backend->advance(1);
    CHECK(backend->find_unsound() == state.id[2]);
    std::string const message = message_of<RunError>([&] { backend->advance(1); });
    CHECK(mentions(message, "step 2: particle 1099511627806 at (5, 5, 3)"));
    CHECK(mentions(message, "particle 1099511627866 is at its place"));
}

TEST_CASE("particles without an interaction may be at one place")
{
    for (std::size_t const species : {1U, 2U})
    {
        for (Truncation const truncation :
             {Truncation::shifted, Truncation::force_shifted, Truncation::switched})
        {
            for (Config const& config : all_ways(without_interaction(truncation, species)))
            {
                may_coincide(config);
            }
        }
    }
}

TEST_CASE("one rule says how far a particle may move, along periodic and open axes")
{
    constexpr double inf = std::numeric_limits<double>::infinity();
    Config config = lennard_jones_config();
    config.run.dt = 0.01;
    auto const says = [&](Box const& box, Vec3<double> position, Vec3<double> velocity) {
        auto const backend = on_device(config);
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

TEST_CASE("image counts that are full stop the run")
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
        auto const backend = on_device(config);
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

TEST_CASE("particles at one place at the start are found in small and large systems")
{
    for (int const cells : {8, 13})
    {
        Config const config = lennard_jones_config();
        State together = liquid(config, cells);
        together.position[7] = together.position[8];
        auto const backend = loaded(config, together);
        CHECK(backend->find_unsound() == 8);
        std::string const message = message_of<RunError>([&] { backend->advance(5); });
        CHECK(mentions(message, "step 1: particle 8"));
        CHECK(mentions(message, "particle 9 is at its place"));
    }
}

TEST_CASE("a state is sound only if all that a file would hold of it is")
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Config config = lennard_jones_config();
    Box const box{{20.0, 20.0, 20.0}, {}};
    SoundRules const rules = sound_rules(config, box);
    State good = one_flying(config, box, {8.0, 8.0, 8.0}, {1.0, 2.0, 3.0});
    good.list_position = good.position;
    CHECK_FALSE(find_unsound(good, rules));
    // Half of dt^2 F / m is the way that a force alone moves a particle in a step.
    double const strongest = 10.0 / (0.5 * config.run.dt * config.run.dt);
    good.force[1].y = 0.99 * strongest;
    CHECK_FALSE(find_unsound(good, rules));
    for (double const bad : {nan, 1.01 * strongest, -1.01 * strongest, 1e300})
    {
        State state = good;
        state.force[1].y = bad;
        CHECK(find_unsound(state, rules) == 2);
    }
    for (double const bad : {nan, 2001.0, -1e300})
    {
        State state = good;
        state.velocity[2].z = bad;
        CHECK(find_unsound(state, rules) == 3);
    }
    for (auto const member : {&State::position, &State::list_position})
    {
        for (double const bad : {nan, 41.0})
        {
            State state = good;
            (state.*member)[0].x = bad;
            CHECK(find_unsound(state, rules) == 1);
        }
    }
    // A step so short that no force moves anything far: absurd all the same.
    SoundRules const tiny{1e-200, rules.limits};
    State state = good;
    state.velocity[0].x = 1e31;
    CHECK(find_unsound(state, tiny) == 1);
}
