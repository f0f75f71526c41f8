/// The CUDA backend against brute force, and what it promises about steps. Exits 77 (skipped) where
/// there is no GPU.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/cuda_backend.hpp"
#include "engine/errors.hpp"
#include "tests/force_check.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

struct SkipWithoutGpu
{
    SkipWithoutGpu()
    {
        if (cuda_device_count() == 0)
        {
            std::puts("skipped: no CUDA device");
            std::exit(77);
        }
    }
} const skip_without_gpu;

std::vector<std::string> notices;

std::unique_ptr<Backend> on_gpu(Config const& config)
{
    notices.clear();
    return make_cuda_backend(config, [](std::string const& line) { notices.push_back(line); });
}

std::unique_ptr<Backend> loaded(Config const& config, State const& state)
{
    auto backend = on_gpu(config);
    backend->load(state);
    return backend;
}

State liquid(Config const& config, int cells, double temperature = 1.0, double jitter = 0.05)
{
    Vec3<double> edges{};
    auto positions = fcc_positions({cells, cells, cells}, 0.8442, jitter, 11, edges);
    State state = state_at(config, {edges, {}}, std::move(positions));
    give_velocities(state, temperature, 12);
    return state;
}

bool same_bytes(State const& a, State const& b)
{
    auto const same = [](auto const& x, auto const& y) {
        return x.size() == y.size() &&
               std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
    };
    return same(a.position, b.position) && same(a.velocity, b.velocity) && same(a.force, b.force) &&
           same(a.image, b.image) && same(a.list_position, b.list_position);
}

State after(Config const& config, State state, std::int64_t steps)
{
    auto const backend = loaded(config, state);
    backend->advance(steps);
    backend->save(state);
    return state;
}

double total_energy(Backend& backend)
{
    Sample const sample = backend.sample();
    return sample.potential_energy + 0.5 * trace(sample.kinetic);
}

std::vector<Config> all_modes(Config const& base)
{
    std::vector<Config> configs;
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        for (Precision const precision : {Precision::mixed, Precision::double_, Precision::single})
        {
            for (NeighborConfig const neighbor : {NeighborConfig{Rebuild::every_step, 0.0},
                                                  NeighborConfig{Rebuild::every_step, 0.3},
                                                  NeighborConfig{Rebuild::on_displacement, 0.3}})
            {
                Config config = base;
                config.force = {path, precision};
                config.neighbor = neighbor;
                configs.push_back(config);
            }
        }
    }
    return configs;
}

/// Systems above and below the size at which lists are searched through cells.
std::vector<int> const both_searches{8, 13};

}  // namespace

TEST_CASE("every path and precision and list mode equals brute force on hard geometries")
{
    for (System const& system : hard_systems())
    {
        check_variants(on_gpu, system);
    }
}

TEST_CASE("every truncation equals brute force on every path")
{
    Truncation const truncation =
        GENERATE(Truncation::shifted, Truncation::force_shifted, Truncation::switched);
    auto const systems = hard_systems(truncation);
    check_variants(on_gpu, systems[0]);
    check_variants(on_gpu, systems[1]);
}

TEST_CASE("lists searched through cells equal brute force")
{
    // 8788 particles are above the size at which every pair is tried.
    Config const lj = lennard_jones_config();
    Config const mixture = mixture_config();
    for (Config const& config : {lj, mixture})
    {
        Vec3<double> edges{};
        auto positions = fcc_positions({13, 13, 13}, 0.8442, 0.12, 5, edges);
        System const system{"13^3 cells", config, state_at(config, {edges, {}}, positions)};
        check_variants(on_gpu, system);
    }
}

TEST_CASE("perfect fcc has its known energy and pressure")
{
    for (Config const& config : all_modes(lennard_jones_config()))
    {
        Vec3<double> edges{};
        auto positions = fcc_positions({20, 20, 20}, 0.8442, 0.0, 1, edges);
        State state = state_at(config, {edges, {}}, std::move(positions));
        auto const backend = loaded(config, state);
        Sample const sample = backend->sample();
        // The references have 12 digits, the pressure 9. Packing and float move a distance by 3e-6
        // at most, the energy by 1e-5 of its terms' size, mostly cancelling.
        bool const in_double = config.force.precision == Precision::double_;
        double const tolerance = in_double ? 1e-10 : 2e-5;
        CHECK(sample.potential_energy / 32000.0 == Approx(-6.77336805325).epsilon(tolerance));
        CHECK(trace(sample.virial) / 32000.0 == Approx(-22.1581992540).epsilon(tolerance));
        double const pressure = 0.8442 * 1.44 * (3.0 * 32000.0 - 3.0) / (3.0 * 32000.0) +
                                trace(sample.virial) / 32000.0 * 0.8442 / 3.0;
        CHECK(pressure == Approx(-5.01970726).epsilon(in_double ? 1e-9 : tolerance));
    }
}

TEST_CASE("the same start gives the same bytes, and restarts continue them")
{
    for (int const cells : both_searches)
    {
        for (Config const& config : all_modes(mixture_config()))
        {
            State const start = liquid(config, cells);
            State const once = after(config, start, 60);
            INFO(cells << " cells, path " << static_cast<int>(config.force.path) << ", precision "
                       << static_cast<int>(config.force.precision) << ", mode "
                       << static_cast<int>(config.neighbor.rebuild) << ", skin "
                       << config.neighbor.skin);
            CHECK(same_bytes(once, after(config, start, 60)));
            CHECK(same_bytes(once, after(config, after(config, start, 23), 37)));
            // Cutting the same steps into other batches changes nothing.
            auto const pieces = loaded(config, start);
            for (int const steps : {1, 2, 7, 50})
            {
                pieces->advance(steps);
                pieces->sample();
            }
            State in_pieces = start;
            pieces->save(in_pieces);
            CHECK(same_bytes(once, in_pieces));
        }
    }
}

TEST_CASE("no list is ever used beyond its proof")
{
    // Every pair counted on the way is compared with a freshly built exact list.
    for (int const cells : both_searches)
    {
        Config config = lennard_jones_config(2.5, Truncation::force_shifted);
        State state = liquid(config, cells, 2.0);
        auto const backend = loaded(config, state);
        for (int block = 0; block < 25; ++block)
        {
            backend->advance(4);
            backend->save(state);
            std::vector<std::uint64_t> pairs(20, 0);
            backend->count_pairs(pairs);
            Config exact = config;
            exact.neighbor.skin = 0.0;
            State now = state;
            now.list_position.clear();
            std::vector<std::uint64_t> expected(20, 0);
            loaded(exact, now)->count_pairs(expected);
            CHECK(pairs == expected);
        }
        // 100 steps at T 2 move the fastest particles half a skin several times.
        CHECK(backend->report().rebuilds > 5);
    }
}

TEST_CASE("energy is conserved with the force-shifted cut")
{
    for (int const cells : both_searches)
    {
        for (ForcePath const path : {ForcePath::reordered, ForcePath::gather})
        {
            Config config = lennard_jones_config(2.5, Truncation::force_shifted);
            config.force.path = path;
            config.run.dt = 0.004;
            State const start = liquid(config, cells);
            auto const backend = loaded(config, start);
            backend->advance(200);
            double const before = total_energy(*backend);
            backend->advance(1000);
            double const n = 4.0 * cells * cells * cells;
            // Fluctuations at dt 0.004 are about 2e-4 a particle / sqrt(N); packing's error of 1e-5
            // of a pair force, random in sign, adds less over 1000 steps.
            CHECK(std::abs(total_energy(*backend) - before) / n < 1e-4);
        }
    }
}

TEST_CASE("momentum stays zero")
{
    for (int const cells : both_searches)
    {
        for (Config const& config : all_modes(mixture_config()))
        {
            auto const backend = loaded(config, liquid(config, cells));
            backend->advance(20);
            Vec3<double> const p = backend->sample().momentum;
            // f_ij = -f_ji bit for bit, and sums over a particle round at 1e-16 of terms of 1e2.
            CHECK(std::sqrt(dot(p, p)) < 1e-10);
        }
    }
}

TEST_CASE("rows that overflow are grown and the result is the same")
{
    Config config = lennard_jones_config();
    // A dense droplet in a large box: the mean density says two neighbors, the droplet has eighty.
    Vec3<double> edges{};
    auto positions = fcc_positions({14, 14, 14}, 1.0, 0.05, 3, edges);
    State const state = state_at(config, cube(120.0), std::move(positions));
    Reference const reference = brute_force(config, state, bins);
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        config.force.path = path;
        auto const backend = loaded(config, state);
        CHECK(backend->report().regrowths > 0);
        CHECK(!notices.empty());
        CHECK(backend->sample().potential_energy ==
              Approx(reference.potential_energy).epsilon(1e-5));
        backend->advance(20);
        CHECK(std::isfinite(total_energy(*backend)));
    }
}

TEST_CASE("what cannot go on stops the run with the particle's number")
{
    for (int const cells : both_searches)
    {
        Config const config = lennard_jones_config();
        State state = liquid(config, cells);
        state.velocity[41] = {1e6, 0.0, 0.0};
        auto const backend = loaded(config, state);
        CHECK_THROWS_AS(backend->advance(5), RunError);
        State together = liquid(config, cells);
        together.position[7] = together.position[8];
        CHECK_THROWS_AS(on_gpu(config)->load(together), RunError);
    }
}

TEST_CASE("a run that cannot fit is refused with its arrays, and offsets do not overflow")
{
    Config const config = lennard_jones_config();
    std::int64_t total = 0;
    for (auto const& [name, bytes] : forecast_cuda_memory(config, 4'000'000'000, cube(1680.0)))
    {
        CHECK(bytes > 0);
        total += bytes;
    }
    // 4e9 particles: more than 55 neighbors of 8 bytes and 76 of 4 each, above any 32-bit number.
    CHECK(total > 4'000'000'000 * (55 * 8 + 76 * 4));
}

TEST_CASE("chunks are consumed again while positions stay")
{
    Config config = lennard_jones_config();
    config.reorder.chunk_particles = 1024;
    State const start = liquid(config, 13);
    auto const backend = loaded(config, start);
    std::int64_t const chunks = (8788 + 1023) / 1024;
    CHECK(backend->report().cache.misses == chunks);
    backend->sample();
    std::vector<std::uint64_t> pairs(10, 0);
    backend->count_pairs(pairs);
    // Energies, neighbor counts and pair counts.
    CHECK(backend->report().cache.hits == 3 * chunks);
    CHECK(backend->report().mean_neighbors == Approx(55.0).epsilon(0.05));
    // The shells of a crystal shaken this little stay apart: 54 neighbors, and no more within
    // reach.
    CHECK(backend->report().max_neighbors >= 54);
    backend->advance(3);
    CHECK(backend->report().cache.misses >= 4 * chunks);
    // Streams and windows change nothing in the result.
    State const many = after(config, start, 30);
    for (int const streams : {1, 3})
    {
        config.reorder.streams = streams;
        CHECK(same_bytes(many, after(config, start, 30)));
    }
    config.reorder.chunk_particles = 8800;
    CHECK(same_bytes(many, after(config, start, 30)));
}

TEST_CASE("large systems, whose chunks come from 8-byte positions, agree with double")
{
    Config config = lennard_jones_config();
    State start = liquid(config, 34, 1.0, 0.1);
    auto const fast = loaded(config, start);
    State forces = start;
    fast->save(forces);
    config.force = {ForcePath::gather, Precision::double_};
    auto const exact = loaded(config, start);
    State expected = start;
    exact->save(expected);
    double error = 0.0;
    double scale = 0.0;
    for (std::size_t i = 0; i < forces.force.size(); ++i)
    {
        Vec3<double> const d = forces.force[i] - expected.force[i];
        error += dot(d, d);
        scale += dot(expected.force[i], expected.force[i]);
    }
    // A displacement is off by 1e-6 rms an axis (a step of 3e-6 for each end and of 2.4e-6 for the
    // packing, over sqrt 12), |dF/dr| is about 14 F / r: 2e-5 of a pair force, and some 60 random
    // signs against a sum that is itself smaller than its largest terms.
    CHECK(std::sqrt(error / scale) < 6e-5);
    std::printf("8-byte positions: relative rms force error %.2e\n", std::sqrt(error / scale));
    CHECK(fast->sample().potential_energy ==
          Approx(exact->sample().potential_energy).epsilon(1e-6));
    CHECK(same_bytes(after(lennard_jones_config(), start, 20),
                     after(lennard_jones_config(), after(lennard_jones_config(), start, 9), 11)));
}
