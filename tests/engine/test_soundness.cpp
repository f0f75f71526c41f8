/// What may not be written as a result, on the CPU: coincident particles, runaways, images.

#include "engine/cpu/backend.hpp"
#include "engine/state/soundness.hpp"
#include "tests/support/unsound_cases.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

std::unique_ptr<Backend> on_cpu(Config const& config)
{
    return make_cpu_backend(config, [](std::string const&) {});
}

}  // namespace

TEST_CASE("coincident particles are found on every path, and both are named")
{
    coincident_particles_are_found(on_cpu);
}

TEST_CASE("ids name particles, however large they are")
{
    ids_name_particles(on_cpu);
}

TEST_CASE("particles without an interaction may be at one place")
{
    free_particles_may_coincide(on_cpu);
}

TEST_CASE("one rule says how far a particle may move, along periodic and open axes")
{
    one_rule_for_runaways(on_cpu);
}

TEST_CASE("image counts that are full stop the run")
{
    images_do_not_overflow(on_cpu);
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
