/// Precision wherever particles are, on the device: what tests/kernels/test_pair_space.cpp asks of
/// the CPU, and clusters of a search that would span further than its extent. Exits 77 (skipped)
/// where there is no GPU.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/need_gpu.hpp"
#include "tests/support/precise_systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

double largest_force(State const& state)
{
    double largest_sq = 0.0;
    for (Vec3<double> const& force : state.force)
    {
        largest_sq = std::max(largest_sq, dot(force, force));
    }
    return std::sqrt(largest_sq);
}

/// More particles than are searched by trying every pair, few in each row of cells.
std::vector<System> sparse_systems()
{
    std::vector<System> systems;
    Box const rod{{6000.0, 8.0, 8.0}, {}};
    Box const gas = cube(160.0);
    Box open_rod = rod;
    open_rod.boundary.x = Boundary::open;
    for (Box const& box : {rod, gas, open_rod})
    {
        auto positions = random_positions(9000, box, 0.9, 31);
        if (!box.periodic(0))
        {
            positions.push_back({-1e8, 3.0, 3.0});
        }
        for (Config const& config : {lennard_jones_config(), mixture_config()})
        {
            systems.push_back({"sparse, " + std::to_string(box.edges.x) + " long, " +
                                   std::to_string(config.system.species.size()) + " species",
                               config, state_at(config, box, positions)});
        }
    }
    return systems;
}

}  // namespace

TEST_CASE("sparse systems equal brute force, however far a warp's particles are apart")
{
    for (System const& system : sparse_systems())
    {
        check_variants(on_device, system);
    }
}

TEST_CASE("forces stay right as particles fly far away")
{
    Config config = lennard_jones_config();
    config.run.dt = 1.0;
    // A pair so heavy that nothing turns it flies off 2 000 sigma a step; others stay.
    std::vector<Vec3<double>> positions;
    for (int n = 0; n < 64; ++n)
    {
        positions.push_back({10.0 * (n % 4), 10.0 * (n / 4 % 4), 10.0 * (n / 16)});
    }
    positions.push_back({5.0, 5.0, 5.0});
    positions.push_back({5.0, 6.5, 5.0});
    for (Precision const precision : {Precision::mixed, Precision::single, Precision::double_})
    {
        config.force = {ForcePath::gather, precision};
        State state = state_at(config, cube(1e8, Boundary::open), positions);
        state.species_mass[0] = 1e18;
        state.velocity[64] = {2e3, 0.0, 0.0};
        state.velocity[65] = {2e3, 0.0, 0.0};
        auto const backend = loaded(config, state);
        backend->advance(10000);
        backend->save(state);
        INFO("precision " << static_cast<int>(precision));
        CHECK(state.position[64].x == Approx(2e7 + 5.0).epsilon(1e-12));
        CHECK(state.force[64].y == Approx(1.158028831046).epsilon(3e-5));
        CHECK(state.force[65].y == -state.force[64].y);
    }
}

TEST_CASE("units of a power of two change no bit of a force")
{
    System const liquid = hard_systems(Truncation::force_shifted)[1];
    for (Variant const& variant : variants())
    {
        System base = liquid;
        apply(variant, base.config);
        State const expected = loaded_state(base.config, base.state);
        for (int const power : {-13, 12})
        {
            double const length = std::ldexp(1.0, power);
            System const scaled = in_units(base, length, 4.0);
            State const result = loaded_state(scaled.config, scaled.state);
            double worst = 0.0;
            for (std::size_t i = 0; i < result.force.size(); ++i)
            {
                auto const difference = (0.25 * length) * result.force[i] - expected.force[i];
                worst = std::max(worst, dot(difference, difference));
            }
            INFO(variant.name << ", sigma 2^" << power);
            CHECK(worst == 0.0);
        }
    }
}

TEST_CASE("a perfect crystal with an edge of exactly two cutoffs feels no force")
{
    // Few bits, so that along the long axis too neighbors are at the cutoff exactly.
    for (double const cutoff : {2.0546875, 2.5, 4.0})
    {
        // 32 particles, and 108 000: all pairs tried, and 8-byte positions.
        for (int const along : {2, 6750})
        {
            System const system = half_edge_crystal(cutoff, along);
            auto const count = static_cast<double>(system.state.particle_count());
            double const expected = fcc_energy(cutoff, cutoff);
            for (Variant const& variant : variants())
            {
                Config config = system.config;
                apply(variant, config);
                State const result = loaded_state(config, system.state);
                INFO("cutoff " << cutoff << ", " << count << " particles, " << variant.name);
                CHECK(largest_force(result) < force_left(cutoff));
                CHECK(loaded(config, system.state)->sample().potential_energy / count ==
                      Approx(expected).epsilon(1e-4));
            }
        }
    }
}

TEST_CASE("pairs just inside the cutoff are listed with the smallest skin")
{
    std::mt19937 generator(23);
    std::normal_distribution<double> normal;
    // 2 000 and 16 000 particles: both ways to search.
    for (int const pairs : {1000, 8000})
    {
        Config config = lennard_jones_config();
        std::vector<Vec3<double>> positions;
        for (int n = 0; n < pairs; ++n)
        {
            Vec3<double> const center{5.0 + 10.0 * (n % 20), 5.0 + 10.0 * (n / 20 % 20),
                                      5.0 + 10.0 * (n / 400)};
            Vec3<double> direction{normal(generator), normal(generator), normal(generator)};
            // Inside by twice the rounding of the test in float.
            double const half = 1.25 * (1.0 - 2e-6) / std::sqrt(dot(direction, direction));
            direction = half * direction;
            positions.push_back(center + direction);
            positions.push_back(center - direction);
        }
        for (Boundary const boundary : {Boundary::periodic, Boundary::open})
        {
            State const state = state_at(config, cube(200.0, boundary), positions);
            for (Precision const precision :
                 {Precision::mixed, Precision::single, Precision::double_})
            {
                for (double const skin : {1e-3, 1e-6, 1e-9})
                {
                    config.force = {ForcePath::gather, precision};
                    config.neighbor = {Rebuild::on_displacement, skin};
                    std::vector<std::uint64_t> counted(bins, 0);
                    loaded(config, state)->count_pairs(counted);
                    std::uint64_t total = 0;
                    for (std::uint64_t const in_bin : counted)
                    {
                        total += in_bin;
                    }
                    INFO("skin " << skin << ", precision " << static_cast<int>(precision));
                    CHECK(total == static_cast<std::uint64_t>(pairs));
                }
            }
        }
    }
}
