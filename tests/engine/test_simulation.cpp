/// The order of events: nothing of a bad step reaches a hook, and what an output's failure leaves.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/config/errors.hpp"
#include "engine/simulation.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scripted_backend.hpp"
#include "tests/support/support.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Everything every 10 steps, checkpoints every 20.
Config scripted_config()
{
    Config config = lennard_jones_config();
    config.output.trajectory = TrajectoryConfig{"unused.h5", 10};
    config.output.thermo = ThermoConfig{"unused.csv", 10};
    config.output.rdf = RdfConfig{"unused.rdf.csv", 10, 4};
    config.output.checkpoint = CheckpointConfig{"unused.ckpt.h5", 20, std::nullopt};
    return config;
}

State three_particles(Config const& config)
{
    return state_at(config, {{10.0, 10.0, 10.0}, {}},
                    {{1.0, 1.0, 1.0}, {5.0, 5.0, 5.0}, {9.0, 9.0, 9.0}});
}

/// What the hooks were given.
struct Log
{
    std::vector<std::int64_t> frames, rows, checkpoints, samples;

    Hooks hooks()
    {
        Hooks hooks;
        hooks.trajectory = [this](Frame const& frame) {
            CHECK(frame.observables.step == frame.state.step);
            frames.push_back(frame.state.step);
        };
        hooks.thermo = [this](Observables const& row) {
            rows.push_back(row.step);
        };
        hooks.checkpoint = [this](Checkpoint const& checkpoint) {
            checkpoints.push_back(checkpoint.state.step);
            samples.push_back(checkpoint.rdf.samples);
        };
        return hooks;
    }
};

Simulation scripted(Config const& config, Script script, Beginning beginning = Beginning::fresh,
                    Checkpoint start = {})
{
    if (start.state.position.empty())
    {
        start.state = three_particles(config);
    }
    return Simulation(config, std::move(start), beginning,
                      std::make_unique<ScriptedBackend>(std::move(script)));
}

using Steps = std::vector<std::int64_t>;

std::vector<Script> all_that_goes_wrong(std::int64_t from)
{
    std::vector<Script> scripts{{from, {}, {}, true}};
    for (double const bad : {not_a_number, infinite, 1e31})
    {
        scripts.push_back({from, [bad](State& s) { s.force[1].x = bad; }, {}, false});
        scripts.push_back({from, [bad](State& s) { s.velocity[0].y = bad; }, {}, false});
        scripts.push_back({from, [bad](State& s) { s.position[2].z = bad; }, {}, false});
        scripts.push_back({from, [bad](State& s) { s.list_position[2].z = bad; }, {}, false});
    }
    for (double const bad : {not_a_number, infinite, -infinite})
    {
        scripts.push_back({from, {}, [bad](Sample& s) { s.potential_energy = bad; }, false});
        scripts.push_back({from, {}, [bad](Sample& s) { s.virial[1] = bad; }, false});
        scripts.push_back({from, {}, [bad](Sample& s) { s.kinetic[5] = bad; }, false});
        scripts.push_back({from, {}, [bad](Sample& s) { s.momentum.z = bad; }, false});
    }
    return scripts;
}

/// A hook's failure, or the last one's.
std::string failure_of(Simulation& simulation, Hooks const& hooks, std::int64_t last_step = 100)
{
    return message_of<IoError>([&] { simulation.run(last_step, hooks); });
}

}  // namespace

TEST_CASE("a run goes by how far its backend came, whatever it asked for")
{
    Script script{1000, {}, {}, false};
    script.most_steps = 3;
    Simulation simulation = scripted(scripted_config(), script);
    Log log;
    CHECK(simulation.run(20, log.hooks()) == Ending::finished);
    CHECK(log.frames == Steps{0, 10, 20});
    CHECK(simulation.state().step == 20);
    // The scripted energy is minus the backend's own step.
    CHECK(simulation.last_observables().potential_energy == Approx(-20.0 / 3.0));
}

TEST_CASE("nothing of a step that is no result reaches a hook, whatever is wrong and asked for")
{
    Config const full = scripted_config();
    for (std::int64_t const bad : {10, 37, 40})
    {
        for (Script const& script : all_that_goes_wrong(bad))
        {
            Simulation simulation = scripted(full, script);
            Log log;
            // Step 37 is no multiple of anything: it is the last.
            std::string const message =
                message_of<RunError>([&] { simulation.run(bad == 37 ? 37 : 100, log.hooks()); });
            CHECK(mentions(message, "step " + std::to_string(bad)));
            CHECK(mentions(message, bad > 20 ? "the last checkpoint is of step 20"
                                             : "no checkpoint was saved before"));
            Steps const before = bad == 10 ? Steps{0} : Steps{0, 10, 20, 30};
            CHECK(log.frames == before);
            CHECK(log.rows == before);
            CHECK(log.checkpoints == (bad > 20 ? Steps{20} : Steps{}));
            // What is kept is the last good state.
            CHECK(simulation.state().step == before.back());
            CHECK(std::isfinite(simulation.state().force[1].x));
            CHECK(simulation.state().velocity[0] == Vec3<double>{});
            CHECK(simulation.rdf().samples == static_cast<std::int64_t>(before.size()));
            CHECK(std::isfinite(simulation.last_observables().total_energy));
        }
    }
}

TEST_CASE("a step is judged for whichever output alone wants it")
{
    auto const without = [](auto change) {
        Config config = scripted_config();
        config.output = {};
        change(config.output);
        return config;
    };
    std::vector<Config> const alone{
        without([](OutputConfig& o) {
            o.trajectory = TrajectoryConfig{"unused.h5", 10};
        }),
        without([](OutputConfig& o) {
            o.thermo = ThermoConfig{"unused.csv", 10};
        }),
        without([](OutputConfig& o) {
            o.rdf = RdfConfig{"unused.rdf.csv", 10, 4};
        }),
        without([](OutputConfig& o) {
            o.checkpoint = CheckpointConfig{"unused.ckpt.h5", 10, std::nullopt};
        }),
        without([](OutputConfig& o) {
            o.checkpoint = CheckpointConfig{"unused.ckpt.h5", std::nullopt, 1e-9};
        }),
        without([](OutputConfig&) {})};
    for (Config const& config : alone)
    {
        Script const forces{40, [](State& s) { s.force[1].x = not_a_number; }, {}, true};
        Simulation simulation = scripted(config, forces);
        Log log;
        CHECK_THROWS_AS(simulation.run(40, log.hooks()), RunError);
        for (Steps const& steps : {log.frames, log.rows, log.checkpoints})
        {
            CHECK((steps.empty() || steps.back() < 40));
        }
        CHECK(simulation.rdf().samples == (config.output.rdf ? 4 : 0));
    }
}

TEST_CASE("a request to stop at a bad step ends in an error, not in a checkpoint")
{
    Config const config = scripted_config();
    Simulation simulation =
        scripted(config, {1, [](State& s) { s.force[0].z = not_a_number; }, {}, false});
    Log log;
    Hooks hooks = log.hooks();
    hooks.stop_requested = [] {
        return true;
    };
    CHECK_THROWS_AS(simulation.run(100, hooks), RunError);
    CHECK(log.checkpoints.empty());
    CHECK(log.frames == Steps{0});
}

TEST_CASE("a start that is no result is refused before anything is written")
{
    for (Script const& script : all_that_goes_wrong(0))
    {
        // What only save() shows is seen when the first frame is due.
        Log log;
        CHECK_THROWS_AS(scripted(scripted_config(), script).run(10, log.hooks()), RunError);
        CHECK(log.frames.empty());
        CHECK(log.rows.empty());
        CHECK(log.checkpoints.empty());
    }
}

TEST_CASE("an output that fails leaves a checkpoint of its step, once, and the message says so")
{
    Config const config = scripted_config();
    Log log;
    Hooks hooks = log.hooks();
    bool const frame_fails = GENERATE(true, false);
    if (frame_fails)
    {
        hooks.trajectory = [&](Frame const& frame) {
            if (frame.state.step == 30)
            {
                throw IoError("t.h5: the disk is full.");
            }
        };
    }
    else
    {
        hooks.thermo = [&](Observables const& row) {
            if (row.step == 30)
            {
                throw IoError("t.h5: the disk is full.");
            }
        };
    }
    Simulation simulation = scripted(config, {1000, {}, {}, false});
    std::string const message = failure_of(simulation, hooks);
    CHECK(mentions(message, "t.h5: the disk is full."));
    CHECK(mentions(message, "ends at step 30, which is saved in its checkpoint"));
    CHECK(log.checkpoints == Steps{20, 30});
    // The step's own sample is in it: a resumed run does not take it again.
    CHECK(log.samples == Steps{3, 4});
    CHECK(simulation.state().step == 30);
}

TEST_CASE("without a checkpoint file, or with one that fails too, the message says what is left")
{
    Config config = scripted_config();
    Log log;
    Hooks hooks = log.hooks();
    hooks.thermo = [&](Observables const& row) {
        if (row.step == 30)
        {
            throw IoError("no space.");
        }
    };
    SECTION("none was asked for")
    {
        hooks.checkpoint = nullptr;
        Simulation simulation = scripted(config, {1000, {}, {}, false});
        CHECK(mentions(failure_of(simulation, hooks),
                       "ends at step 30, and no checkpoint was asked "
                       "for"));
    }
    SECTION("it fails too")
    {
        int calls = 0;
        hooks.checkpoint = [&](Checkpoint const& checkpoint) {
            ++calls;
            if (checkpoint.state.step == 30)
            {
                throw IoError("no space either.");
            }
        };
        Simulation simulation = scripted(config, {1000, {}, {}, false});
        std::string const message = failure_of(simulation, hooks);
        CHECK(mentions(message, "no space. "));
        CHECK(mentions(message, "cannot be saved (no space either.)"));
        CHECK(mentions(message, "the last checkpoint is of step 20"));
        CHECK(calls == 2);
    }
    SECTION("the step turns out to be no result")
    {
        hooks.trajectory = nullptr;
        Simulation simulation =
            scripted(config, {30, [](State& s) { s.force[0].x = not_a_number; }, {}, false});
        std::string const message = failure_of(simulation, hooks);
        CHECK(mentions(message, "cannot be saved (step 30: particle 1"));
        CHECK(log.checkpoints == Steps{20});
    }
}

TEST_CASE("a resumed run hands the step of its checkpoint to the outputs again, but not to g(r)")
{
    Config const config = scripted_config();
    Checkpoint start{three_particles(config), {2.5, {4, 0, 0, 0}, 4, 1.0}};
    start.state.step = 30;
    start.state.time = 30 * config.run.dt;
    Simulation simulation = scripted(config, {1000, {}, {}, false}, Beginning::resumed, start);
    Log log;
    simulation.run(45, log.hooks());
    CHECK(log.frames == Steps{30, 40});
    CHECK(log.rows == Steps{30, 40});
    CHECK(log.checkpoints == Steps{40, 45});
    CHECK(log.samples == Steps{5, 5});
}

TEST_CASE("a tail correction needs a volume, also where the start's own box is open")
{
    Config config = scripted_config();
    config.potential.tail_correction = true;
    Checkpoint start{three_particles(config), {}};
    start.state.box.boundary.y = Boundary::open;
    CHECK(mentions(message_of<ConfigError>([&] {
                       scripted(config, {1000, {}, {}, false}, Beginning::fresh, start);
                   }),
                   "potential.tail_correction"));
}

TEST_CASE("a start that drifts as a whole is said with both temperatures, rounding is not")
{
    Config const config = lennard_jones_config();
    Vec3<double> edges{};
    State state =
        state_at(config, {{30.0, 30.0, 30.0}, {}}, fcc_positions({5, 5, 5}, 0.8442, 0.0, 1, edges));
    give_velocities(state, 1.0, 3);
    auto const notices = [&] {
        auto const backend = on_device(config);
        backend->load(state);
        return notices_of_start(state, make_observables(backend->sample(), state, std::nullopt));
    };
    CHECK(notices().empty());
    for (Vec3<double>& velocity : state.velocity)
    {
        velocity.x += 1e-6;
    }
    CHECK(notices().empty());
    for (Vec3<double>& velocity : state.velocity)
    {
        velocity.x += 3.0 - 1e-6;
    }
    REQUIRE(notices().size() == 1);
    CHECK(mentions(notices()[0], "speed 3:"));
    // 500 particles at 1, and 500 x 3^2 / (3 x 500 - 3) more.
    double const still = [&] {
        State at_rest = state;
        for (Vec3<double>& velocity : at_rest.velocity)
        {
            velocity.x -= 3.0;
        }
        double twice_kinetic = 0.0;
        for (Vec3<double> const& v : at_rest.velocity)
        {
            twice_kinetic += dot(v, v);
        }
        return twice_kinetic / (3.0 * 500.0 - 3.0);
    }();
    CHECK(mentions(notices()[0], fmt::format("{:.5g} with", still + 4500.0 / 1497.0)));
    CHECK(mentions(notices()[0], fmt::format("{:.5g} without", still)));
}

TEST_CASE("an open axis leaves no volume: no pressure, no g(r), pairs as they are")
{
    Config config = scripted_config();
    Checkpoint start{three_particles(config), {}};
    start.state.box.boundary.z = Boundary::open;
    Simulation simulation = scripted(config, {1000, {}, {}, false}, Beginning::fresh, start);
    simulation.run(20, {});
    CHECK(!simulation.last_observables().pressure);
    CHECK(!simulation.last_observables().pressure_tensor);
    CHECK(simulation.last_observables().temperature == Approx(3.0 / 6.0));
    CHECK(simulation.rdf().samples == 3);
    CHECK(simulation.rdf().pairs[0] == 3);
    CHECK(simulation.rdf().value().empty());
    auto const notices = notices_of_start(start.state, simulation.first_observables());
    REQUIRE(notices.size() == 1);
    CHECK(mentions(notices[0], "no volume"));
    start.state.box.boundary.z = Boundary::periodic;
    Simulation closed = scripted(config, {1000, {}, {}, false}, Beginning::fresh, start);
    closed.run(20, {});
    CHECK(closed.last_observables().pressure);
    CHECK(closed.rdf().value().size() == 4);
}
