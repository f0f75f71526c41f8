/// The step as a whole: conservation, reversal, the dt^2 law, restarts, threads, the cache.

#include <cmath>
#include <string>
#include <vector>

#include "engine/config/errors.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/support.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

/// With chunks in memory, several of them.
std::vector<Config> all_paths(Config base)
{
    base.reorder.chunk_particles = 96;
    return all_modes(base);
}

}  // namespace

TEST_CASE("momentum stays zero on every path")
{
    Config const base = mixture_config();
    for (Config const& config : all_paths(base))
    {
        auto const backend = loaded(config, liquid(config));
        backend->advance(20);
        Vec3<double> const p = backend->sample().momentum;
        // f_ij = -f_ji bit for bit, so only the sums over a particle round: 500 particles of about
        // 60 terms of size 1e2 at 1e-16 each, 20 steps of dt 0.005. The minimum image of single
        // positions is odd too.
        CHECK(std::sqrt(dot(p, p)) < 1e-11);
    }
}

TEST_CASE("all paths and list modes follow the same trajectory in double")
{
    Config config = lennard_jones_config(2.5, Truncation::force_shifted);
    config.force = {ForcePath::gather, Precision::double_};
    config.neighbor = {Rebuild::every_step, 0.0};
    State const start = liquid(config);
    auto const reference = loaded(config, start);
    reference->advance(100);
    double const energy = reference->sample().potential_energy;
    for (Config const& other : all_paths(config))
    {
        if (other.force.precision == Precision::double_)
        {
            auto const backend = loaded(other, start);
            backend->advance(100);
            // Sums in another order differ by 1e-16 a step and grow e-fold in about 1/4 tau.
            CHECK(std::abs(backend->sample().potential_energy - energy) <=
                  1e-10 * std::abs(energy));
        }
    }
}

TEST_CASE("velocity Verlet retraces its steps when velocities are reversed")
{
    Config config = lennard_jones_config(2.5, Truncation::force_shifted);
    config.force.precision = Precision::double_;
    State const start = liquid(config);
    State there = after(config, start, 100);
    for (Vec3<double>& velocity : there.velocity)
    {
        velocity = -1.0 * velocity;
    }
    there.list_position.clear();
    State const back = after(config, there, 100);
    double worst = 0.0;
    for (std::size_t i = 0; i < start.position.size(); ++i)
    {
        auto const d = minimum_image(back.position[i] - start.position[i], start.box);
        worst = std::max(worst, std::sqrt(dot(d, d)));
    }
    // Rounding of 1e-16 grows e-fold in about 1/4 tau over 200 steps of 0.005 tau: e^4 and slack.
    CHECK(worst < 1e-11);
}

TEST_CASE("energy fluctuations of the force-shifted cut shrink as dt^2")
{
    auto const fluctuation = [](double dt) {
        Config config = lennard_jones_config(2.5, Truncation::force_shifted);
        config.force.precision = Precision::double_;
        config.run.dt = dt;
        State const start = liquid(config, 6);
        auto const backend = loaded(config, start);
        backend->advance(static_cast<std::int64_t>(std::lround(0.4 / dt)));
        double sum = 0.0;
        double sum_sq = 0.0;
        int const samples = 50;
        for (int sample = 0; sample < samples; ++sample)
        {
            backend->advance(static_cast<std::int64_t>(std::lround(0.016 / dt)));
            double const energy = total_energy(*backend);
            sum += energy;
            sum_sq += energy * energy;
        }
        double const mean = sum / samples;
        return std::sqrt(std::max(0.0, sum_sq / samples - mean * mean));
    };
    double const ratio = fluctuation(0.004) / fluctuation(0.002);
    CHECK(ratio > 3.7);
    CHECK(ratio < 4.3);
}

TEST_CASE("forces and virial are the derivatives of the energy")
{
    Truncation const truncation = GENERATE(Truncation::force_shifted, Truncation::switched);
    Config config = mixture_config(truncation);
    config.force = {GENERATE(ForcePath::gather, ForcePath::reordered), Precision::double_};
    State const state = liquid(config, 4, 1.0, 0.05, 0.6);
    auto const energy_of = [&](State const& s) {
        return loaded(config, s)->sample().potential_energy;
    };

    auto const backend = loaded(config, state);
    State forces = state;
    backend->save(forces);
    double const h = 1e-5;
    for (std::size_t const particle : {std::size_t{0}, std::size_t{17}, std::size_t{101}})
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            State up = state;
            State down = state;
            up.position[particle][axis] += h;
            down.position[particle][axis] -= h;
            for (State* moved : {&up, &down})
            {
                wrap(moved->position[particle], moved->image[particle], moved->box);
            }
            double const slope = -(energy_of(up) - energy_of(down)) / (2.0 * h);
            // Central difference: h^2 U'''/6 of about 1e-10 * 1e4, and 1e-13 |U| / h of rounding.
            CHECK(slope == Approx(forces.force[particle][axis]).margin(2e-5).epsilon(1e-6));
        }
    }

    auto const scaled = [&](double factor) {
        State s = state;
        s.box.edges = factor * s.box.edges;
        for (Vec3<double>& position : s.position)
        {
            position = factor * position;
        }
        return energy_of(s);
    };
    // W = -3 V dU/dV = -dU/d(factor) at factor 1.
    double const virial = -(scaled(1.0 + h) - scaled(1.0 - h)) / (2.0 * h);
    CHECK(trace(backend->sample().virial) == Approx(virial).epsilon(1e-6));
}

TEST_CASE("a restart continues to the same bytes on every path, precision and list mode")
{
    for (Config const& config : all_paths(mixture_config()))
    {
        State const start = liquid(config);
        State const straight = after(config, start, 24);
        State const half = after(config, start, 9);
        State const resumed = after(config, half, 15);
        CHECK(same_bytes(straight, resumed));
    }
}

TEST_CASE("the number of threads changes no byte")
{
    for (Config config : all_paths(lennard_jones_config()))
    {
        State const start = liquid(config);
        config.threads = 1;
        State const one = after(config, start, 12);
        config.threads = 3;
        CHECK(same_bytes(one, after(config, start, 12)));
    }
}

TEST_CASE("chunks are reordered once a step, and consumers at unchanged positions hit")
{
    Config config = lennard_jones_config();
    config.reorder.chunk_particles = 64;
    State const start = liquid(config);
    auto const backend = loaded(config, start);
    auto const chunks = static_cast<std::int64_t>((start.position.size() + 63) / 64);
    CHECK(backend->report().cache.misses == chunks);
    CHECK(backend->report().cache.hits == 0);
    backend->sample();
    std::vector<std::uint64_t> pairs(10, 0);
    backend->count_pairs(pairs);
    CHECK(backend->report().cache.misses == chunks);
    // Energies and pairs; on a GPU a sample also counts neighbors, which the CPU's lists know.
    std::int64_t const consumed = tested_device().type == DeviceType::cuda ? 3 : 2;
    CHECK(backend->report().cache.hits == consumed * chunks);
    backend->advance(5);
    CHECK(backend->report().cache.misses == 6 * chunks);
    CHECK(backend->report().cache.hits == consumed * chunks);
    CHECK(backend->report().cache.invalidations == 5 * chunks);
}

TEST_CASE("forces computed again are the same to the bit, and the cache says from what")
{
    for (Config config : all_paths(mixture_config()))
    {
        config.reorder.chunk_particles = 64;
        State const start = liquid(config);
        auto const backend = loaded(config, start);
        backend->advance(7);
        State before = start;
        backend->save(before);
        BackendReport const was = backend->report();
        bool const chunked = config.force.path == ForcePath::reordered;
        std::int64_t const chunks =
            chunked ? static_cast<std::int64_t>((start.position.size() + 63) / 64) : 0;

        backend->recompute_forces(3, Reuse::none);
        BackendReport const anew = backend->report();
        CHECK(anew.cache.misses == was.cache.misses + 3 * chunks);
        CHECK(anew.cache.hits == was.cache.hits);
        CHECK(anew.cache.invalidations == was.cache.invalidations + 3 * chunks);
        backend->recompute_forces(2, Reuse::valid);
        BackendReport const again = backend->report();
        CHECK(again.cache.misses == anew.cache.misses);
        CHECK(again.cache.hits == anew.cache.hits + 2 * chunks);
        CHECK(again.cache.invalidations == anew.cache.invalidations);

        INFO("path " << static_cast<int>(config.force.path));
        if (tested_device().type == DeviceType::cpu)
        {
            // On a GPU steps alone are timed by the backend; who asks for more times them.
            CHECK(anew.seconds.force > was.seconds.force);
            CHECK(again.seconds.force > anew.seconds.force);
        }
        CHECK(again.rebuilds == was.rebuilds);
        State now = start;
        backend->save(now);
        CHECK(same_bytes(before, now));
        // The steps after it are those of a run that was never asked.
        backend->advance(5);
        backend->save(now);
        CHECK(same_bytes(now, after(config, start, 12)));
    }
}

TEST_CASE("capacities that overflow grow, and the result equals the roomy one")
{
    // A droplet in a box so large that the mean density predicts almost no neighbors.
    for (ForcePath const path : {ForcePath::gather, ForcePath::shoc, ForcePath::reordered})
    {
        Config config = lennard_jones_config(3.5);
        config.force.path = path;
        Vec3<double> edges{};
        auto positions = fcc_positions({5, 5, 5}, 1.0, 0.05, 3, edges);
        State const crowded = state_at(config, cube(200.0), positions);
        auto const backend = loaded(config, crowded);
        CHECK(!notices.empty());
        CHECK(backend->report().regrowths == static_cast<std::int64_t>(notices.size()));
        backend->advance(5);
        std::size_t const notices_after_load = notices.size();
        backend->advance(5);
        CHECK(notices.size() == notices_after_load);
        CHECK(std::isfinite(total_energy(*backend)));
    }
}

TEST_CASE("lists are never used once they could be wrong")
{
    // Hot particles cross half the skin within a few steps.
    Config config = lennard_jones_config(2.5, Truncation::force_shifted);
    config.force = {ForcePath::gather, Precision::double_};
    config.run.dt = 0.002;
    State start = liquid(config, 5, 1.0, 0.05, 0.3);
    give_velocities(start, 60.0, 5);
    config.neighbor = {Rebuild::every_step, 0.0};
    auto const exact = loaded(config, start);
    config.neighbor = {Rebuild::on_displacement, 0.25};
    auto const verlet = loaded(config, start);
    for (int block = 0; block < 20; ++block)
    {
        exact->advance(5);
        verlet->advance(5);
        double const energy = exact->sample().potential_energy;
        CHECK(verlet->sample().potential_energy == Approx(energy).epsilon(1e-9).margin(1e-9));
    }
    CHECK(verlet->report().rebuilds > 10);
    CHECK(verlet->report().rebuilds < 100);
}

TEST_CASE("a run that blows up stops, naming particle, step, position and speed")
{
    Config config = lennard_jones_config();
    State start = liquid(config);
    start.velocity[41] = {4000.0, 0.0, 0.0};
    auto const backend = loaded(config, start);
    try
    {
        backend->advance(1);
        FAIL("the run went on");
    }
    catch (RunError const& error)
    {
        std::string const message = error.what();
        CHECK(message.find("particle 42") != std::string::npos);
        CHECK(message.find("step 1") != std::string::npos);
        CHECK(message.find("speed") != std::string::npos);
        CHECK(message.find("run.dt") != std::string::npos);
    }
}
