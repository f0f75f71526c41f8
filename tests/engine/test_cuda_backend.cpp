/// The CUDA backend against brute force, and what it promises about steps. Exits 77 (skipped) where
/// there is no GPU.

#include <cmath>

#include "engine/config/errors.hpp"
#include "engine/cpu/backend.hpp"
#include "engine/cuda/cuda.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/need_gpu.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

/// Potential energy and temperature a particle, at every tenth of `steps` steps.
struct Record
{
    std::vector<double> energy, temperature, total;
};

Record record(Backend& backend, double particles, int steps)
{
    Record record;
    for (int step = 0; step < steps; step += 10)
    {
        backend.advance(10);
        Sample const sample = backend.sample();
        double const kinetic = 0.5 * trace(sample.kinetic);
        record.energy.push_back(sample.potential_energy / particles);
        record.temperature.push_back(2.0 * kinetic / (3.0 * particles - 3.0));
        record.total.push_back((sample.potential_energy + kinetic) / particles);
    }
    return record;
}

/// Mean and squared standard error of the second half, from five blocks longer than it remembers.
std::pair<double, double> settled(std::vector<double> const& values)
{
    constexpr std::size_t blocks = 5;
    std::size_t const length = values.size() / 2 / blocks;
    std::vector<double> means;
    double mean = 0.0;
    for (std::size_t block = 0; block < blocks; ++block)
    {
        double sum = 0.0;
        for (std::size_t k = 0; k < length; ++k)
        {
            sum += values[values.size() - (block * length + k) - 1];
        }
        means.push_back(sum / static_cast<double>(length));
        mean += means.back() / blocks;
    }
    double error_sq = 0.0;
    for (double const value : means)
    {
        error_sq += (value - mean) * (value - mean) / (blocks * (blocks - 1.0));
    }
    return {mean, error_sq};
}

/// Systems above and below the size at which lists are searched through cells.
std::vector<int> const both_searches{8, 13};

}  // namespace

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
        check_variants(on_device, system);
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

TEST_CASE("the melt of 32 000 agrees with the CPU in double: forces, step 0, and 1000 steps")
{
    Config config = lennard_jones_config();
    config.force.precision = Precision::double_;
    State const start = liquid(config, 20, 1.44, 0.0);
    config.force.path = GENERATE(ForcePath::reordered, ForcePath::gather);
    auto const gpu = loaded(config, start);
    auto const cpu = make_cpu_backend(config, [](std::string const&) {});
    cpu->load(start);
    Sample const on_device = gpu->sample();
    Sample const on_host = cpu->sample();
    // Sums of 32 000 x 54 terms in another order.
    CHECK(on_device.potential_energy == Approx(on_host.potential_energy).epsilon(1e-13));
    CHECK(trace(on_device.virial) == Approx(trace(on_host.virial)).epsilon(1e-13));
    CHECK(trace(on_device.kinetic) == Approx(trace(on_host.kinetic)).epsilon(1e-13));
    // A crystal's forces vanish, so forces are compared where it has begun to melt: 50 steps on,
    // before rounding has grown.
    gpu->advance(50);
    cpu->advance(50);
    State forces = start;
    State expected = start;
    gpu->save(forces);
    cpu->save(expected);
    double worst = 0.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < forces.force.size(); ++i)
    {
        Vec3<double> const d = forces.force[i] - expected.force[i];
        worst = std::max(worst, std::sqrt(dot(d, d)));
        largest = std::max(largest, std::sqrt(dot(expected.force[i], expected.force[i])));
    }
    // Rounding of 1e-16 grows by a factor of e in about 0.4 time units, here 0.25, after starting
    // from forces that are sums of 54 terms: hundreds of ulp.
    CHECK(worst < 1e-11 * largest);
    // Then chaos parts them, and only averages can agree.
    Record const device_record = record(*gpu, 32000.0, 1000);
    Record const host_record = record(*cpu, 32000.0, 1000);
    auto const agree = [](std::vector<double> const& a, std::vector<double> const& b) {
        auto const [mean_a, error_a] = settled(a);
        auto const [mean_b, error_b] = settled(b);
        INFO(mean_a << " " << mean_b << " +- " << std::sqrt(error_a + error_b));
        // Five standard errors, and no less than a standard error estimated from five blocks can be
        // wrong by: the fluctuation of one configuration, 0.003 for both quantities, over the
        // square root of two independent ones.
        CHECK(std::abs(mean_a - mean_b) <= std::max(5.0 * std::sqrt(error_a + error_b), 0.002));
    };
    agree(device_record.energy, host_record.energy);
    agree(device_record.temperature, host_record.temperature);
    // The sharp cut's energy jumps of 0.016 at each crossing cancel on average.
    CHECK(device_record.total.back() == Approx(host_record.total.back()).margin(2e-3));
}
