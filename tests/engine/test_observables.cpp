/// Observables: the perfect lattice, tails, temperature, pressure and g(r), against closed forms.

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "engine/config/errors.hpp"
#include "engine/simulation.hpp"
#include "engine/start/initial.hpp"
#include "engine/state/observables.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/rounding.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

std::vector<ForceConfig> all_forces()
{
    std::vector<ForceConfig> all;
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        for (Precision const precision : {Precision::double_, Precision::mixed})
        {
            all.push_back({path, precision});
        }
    }
    return all;
}

/// The observables of `state` at step 0, as a run reports them.
Observables observe(Config const& config, State const& state)
{
    auto backend = on_device(config);
    Simulation simulation(config, {state, {}}, Beginning::fresh, std::move(backend));
    simulation.run(0, {});
    return simulation.last_observables();
}

Config fcc_config(std::int64_t cells, Truncation truncation = Truncation::sharp)
{
    Config config = lennard_jones_config(2.5, truncation);
    config.system.start = LatticeConfig{LatticeType::fcc, {cells, cells, cells}, 0.8442};
    config.system.temperature = 1.44;
    return config;
}

double virial_per_particle(Observables const& o, State const& state)
{
    auto const particles = static_cast<double>(state.particle_count());
    return 3.0 * o.pressure.value() * state.box.volume() / particles - 2.0 * o.kinetic_energy;
}

}  // namespace

TEST_CASE("the perfect fcc crystal has its lattice sums on every path")
{
    double const energy = -6.77336805325;  // independent sums, rho 0.8442, cutoff 2.5, sharp
    double const virial = -22.1581992540;
    // 54 neighbors, each pair shared by two, times U(2.5).
    double const shifted = energy + 27.0 * 0.016316891136;
    for (ForceConfig const& force : all_forces())
    {
        // Three cells make a box of 5.0388, just above two cutoffs.
        for (std::int64_t const cells : {3, 6})
        {
            Config config = fcc_config(cells);
            config.force = force;
            State const state = make_initial_state(config);
            auto const particles = static_cast<double>(state.particle_count());
            // In double the eleven printed decimals; else the worst case of the roundings, all of
            // one shell being the same.
            Tolerance tolerance = sum_tolerance(config, state);
            tolerance.energy = tolerance.energy / particles + 0.6e-11;
            tolerance.virial = tolerance.virial / particles + 0.6e-10;
            INFO("path " << static_cast<int>(force.path) << ", precision "
                         << static_cast<int>(force.precision) << ", cells " << cells);
            Observables const sharp = observe(config, state);
            CHECK(std::abs(sharp.potential_energy - energy) <= tolerance.energy);
            CHECK(std::abs(virial_per_particle(sharp, state) - virial) <= tolerance.virial);
            config.potential.truncation = Truncation::shifted;
            Observables const lifted = observe(config, state);
            CHECK(std::abs(lifted.potential_energy - shifted) <= tolerance.energy + 27e-12);
            // The shift moves the energy and nothing else.
            CHECK(lifted.pressure == sharp.pressure);
        }
    }
}

TEST_CASE("the 32000-particle melt starts at its published pressure and energy")
{
    // LAMMPS's melt benchmark (bench/in.lj) logs -5.0197073 and -4.6134356 at step 0; two more
    // digits from the lattice sums and 3N - 3 degrees of freedom.
    for (ForceConfig const& force : all_forces())
    {
        Config config = fcc_config(20);
        config.force = force;
        State const state = make_initial_state(config);
        Observables const o = observe(config, state);
        Config small = fcc_config(3);
        small.force = force;
        // Per particle as the small crystal's, whose sums run over the same shells; the larger box
        // coarsens fixed-point steps by its edge.
        Tolerance const sums = sum_tolerance(small, make_initial_state(small));
        double const wider = 20.0 / 3.0;
        double const energy_tolerance = wider * sums.energy / 108.0 + 0.6e-8;
        double const pressure_tolerance = wider * sums.virial / 108.0 * 0.8442 / 3.0 + 0.6e-8;
        INFO("path " << static_cast<int>(force.path) << ", precision "
                     << static_cast<int>(force.precision));
        CHECK(o.temperature == Approx(1.44).epsilon(1e-12));
        CHECK(std::abs(o.pressure.value() + 5.01970726) <= pressure_tolerance);
        CHECK(std::abs(o.total_energy + 4.61343555) <= energy_tolerance);
    }
}

TEST_CASE("tail integrals have their closed values")
{
    double const density = 0.8442;
    TailCorrection const one = tail_integrals({{1.0, 1.0, 2.5}}, {8442}, 8442.0 / density);
    CHECK(one.energy == Approx(-0.452012624764).epsilon(1e-11));
    CHECK(one.pressure == Approx(-0.762134698519).epsilon(1e-11));

    // A mixture by numerical integration: U = 2 pi rho_a rho_b int u r^2 dr and
    // P = (2 pi / 3) rho_a rho_b int (-r u') r^2 dr over all ordered pairs, in x = 1/r.
    std::vector<ResolvedPair> const pairs{
        {1.0, 1.0, 2.5}, {1.5, 0.8, 2.0}, {1.5, 0.8, 2.0}, {0.5, 0.88, 2.2}};
    std::vector<std::int64_t> const counts{300, 200};
    double const volume = 700.0;
    double energy = 0.0;
    double pressure = 0.0;
    for (std::size_t pair = 0; pair < 4; ++pair)
    {
        double const epsilon = pairs[pair].epsilon;
        double const sigma = pairs[pair].sigma;
        double const cutoff = pairs[pair].cutoff;
        int const intervals = 2000;  // Simpson's error is of order (1 / 2000)^4
        double const h = 1.0 / cutoff / intervals;
        double energy_integral = 0.0;
        double virial_integral = 0.0;
        for (int n = 1; n <= intervals; ++n)  // both integrands vanish at x = 0
        {
            double const weight = (n == intervals ? 1.0 : (n % 2 == 1 ? 4.0 : 2.0)) * h / 3.0;
            double const x = n * h;
            double const s6 = std::pow(sigma * x, 6.0);
            double const measure = std::pow(x, -4.0);  // r^2 dr
            energy_integral += weight * measure * 4.0 * epsilon * (s6 * s6 - s6);
            virial_integral += weight * measure * 24.0 * epsilon * (2.0 * s6 * s6 - s6);
        }
        double const density_product = static_cast<double>(counts[pair / 2]) *
                                       static_cast<double>(counts[pair % 2]) / (volume * volume);
        energy += 2.0 * std::numbers::pi * density_product * energy_integral * volume / 500.0;
        pressure += 2.0 / 3.0 * std::numbers::pi * density_product * virial_integral;
    }
    TailCorrection const mixed = tail_integrals(pairs, counts, volume);
    CHECK(mixed.energy == Approx(energy).epsilon(1e-10));
    CHECK(mixed.pressure == Approx(pressure).epsilon(1e-10));
}

TEST_CASE("truncated value plus tail is the same for every truncation")
{
    for (bool const mixture : {false, true})
    {
        for (ForceConfig const& force : all_forces())
        {
            Config config = mixture ? mixture_config() : lennard_jones_config();
            config.force = force;
            Vec3<double> edges{};
            auto const positions = fcc_positions({4, 4, 4}, 0.8442, 0.12, 21, edges);
            State const state = state_at(config, {edges, {}}, positions);
            config.potential.tail_correction = false;
            CHECK_FALSE(observe(config, state).tail.has_value());
            config.potential.tail_correction = true;
            Observables const sharp = observe(config, state);
            REQUIRE(sharp.tail.has_value());
            auto const counts =
                mixture ? std::vector<std::int64_t>{171, 85} : std::vector<std::int64_t>{256};
            auto const integrals =
                tail_integrals(resolve_pairs(config), counts, state.box.volume());
            // The sharp cut lacks the integrals and nothing else.
            CHECK(sharp.tail->energy == Approx(integrals.energy).epsilon(1e-13));
            CHECK(sharp.tail->pressure == Approx(integrals.pressure).epsilon(1e-13));
            for (Truncation const truncation :
                 {Truncation::shifted, Truncation::force_shifted, Truncation::switched})
            {
                config.potential.truncation = truncation;
                config.potential.switch_on = truncation == Truncation::switched ? 1.6 : 0.0;
                Observables const o = observe(config, state);
                REQUIRE(o.tail.has_value());
                INFO("truncation " << static_cast<int>(truncation));
                CHECK(std::abs(o.potential_energy - sharp.potential_energy) > 1e-3);
                // Both sums run over the same stored displacements, so only double sums round.
                CHECK(o.potential_energy + o.tail->energy ==
                      Approx(sharp.potential_energy + sharp.tail->energy).epsilon(1e-12));
                CHECK(o.pressure.value() + o.tail->pressure ==
                      Approx(sharp.pressure.value() + sharp.tail->pressure).epsilon(1e-11));
            }
        }
    }
}

TEST_CASE("temperature and pressure follow from momenta and brute-force virial")
{
    for (ForceConfig const& force : all_forces())
    {
        Config config = lennard_jones_config();
        config.force = force;
        Vec3<double> edges{};
        auto const positions = fcc_positions({4, 4, 4}, 0.8442, 0.12, 22, edges);
        State state = state_at(config, {edges, {}}, positions);
        give_velocities(state, 1.3, 23);
        double twice_kinetic = 0.0;
        for (Vec3<double> const& v : state.velocity)
        {
            twice_kinetic += dot(v, v);
        }
        Reference const reference = brute_force(config, state, 10);
        Observables const o = observe(config, state);
        CHECK(o.temperature == Approx(twice_kinetic / (3.0 * 256.0 - 3.0)).epsilon(1e-13));
        CHECK(o.kinetic_energy == Approx(0.5 * twice_kinetic / 256.0).epsilon(1e-13));
        CHECK(o.total_energy == o.potential_energy + o.kinetic_energy);
        CHECK(trace(o.pressure_tensor.value()) / 3.0 == Approx(o.pressure.value()).epsilon(1e-14));
        double const volume = state.box.volume();
        double const pressure = (twice_kinetic + trace(reference.virial)) / (3.0 * volume);
        CHECK(std::abs(o.pressure.value() - pressure) <=
              sum_tolerance(config, state).virial / (3.0 * volume) + 1e-11);
    }
}

TEST_CASE("a single particle keeps its three degrees of freedom")
{
    CHECK(degrees_of_freedom(1) == 3);
    CHECK(degrees_of_freedom(2) == 3);
    CHECK(degrees_of_freedom(32000) == 95997);
    Config const config = lennard_jones_config();
    State state = state_at(config, cube(10.0), {{1.0, 2.0, 3.0}});
    state.velocity[0] = {1.0, -2.0, 3.0};
    Observables const o = observe(config, state);
    CHECK(o.temperature == Approx(14.0 / 3.0).epsilon(1e-15));
    CHECK(o.pressure.value() == Approx(14.0 / 3000.0).epsilon(1e-15));
}

TEST_CASE("g(r) is the count over that of an ideal gas, shell by shell")
{
    Rdf rdf;
    rdf.range = 2.0;
    rdf.pairs = {0, 3, 5, 7};
    rdf.samples = 2;
    rdf.pair_density_sum = 2.0 * (10.0 * 9.0 / 2.0) / 100.0;
    std::vector<double> const radius{0.25, 0.75, 1.25, 1.75};
    CHECK(rdf.radius() == radius);
    std::vector<double> const g = rdf.value();
    for (std::size_t bin = 0; bin < 4; ++bin)
    {
        double const shells[] = {0.125, 0.875, 2.375, 4.625};  // differences of r^3
        double const expected = static_cast<double>(rdf.pairs[bin]) /
                                (0.9 * 4.0 / 3.0 * std::numbers::pi * shells[bin]);
        CHECK(g[bin] == Approx(expected).epsilon(1e-14));
    }
}

TEST_CASE("g(r) of an ideal gas is 1 on every path")
{
    Box const box = cube(9.0);
    std::vector<std::vector<Vec3<double>>> clouds;
    for (unsigned seed = 1; seed <= 20; ++seed)
    {
        clouds.push_back(random_positions(800, box, 0.0, seed));
    }
    for (ForceConfig const& force : all_forces())
    {
        Config config = lennard_jones_config();
        config.potential.pairs[0].epsilon = 0.0;
        config.force = force;
        config.output.rdf = RdfConfig{"unused.csv", 1, 25};
        Rdf sum;
        for (auto const& cloud : clouds)
        {
            State const state = state_at(config, box, cloud);
            Simulation simulation(config, {state, {}}, Beginning::fresh, on_device(config));
            simulation.run(0, {});
            Rdf const& one = simulation.rdf();
            REQUIRE(one.samples == 1);
            CHECK(simulation.last_observables().potential_energy == 0.0);
            sum.range = one.range;
            sum.pairs.resize(one.pairs.size(), 0);
            for (std::size_t bin = 0; bin < one.pairs.size(); ++bin)
            {
                sum.pairs[bin] += one.pairs[bin];
            }
            sum.pair_density_sum += one.pair_density_sum;
        }
        CHECK(sum.range == 2.5);
        std::vector<double> const g = sum.value();
        for (std::size_t bin = 0; bin < g.size(); ++bin)
        {
            // Distances of random points are pairwise independent: counts have Poisson's variance,
            // about the expected count, which is count / g.
            double const error = std::sqrt(g[bin] / static_cast<double>(sum.pairs[bin]));
            INFO("bin " << bin << ", g " << g[bin]);
            CHECK(std::abs(g[bin] - 1.0) <= 4.5 * error);
        }
    }
}

TEST_CASE("g(r) counts the pairs of the multiples of every from start on, and of no other step")
{
    Config config = fcc_config(4);
    config.force.precision = Precision::double_;
    config.output.trajectory = TrajectoryConfig{"unused.h5", 5};
    std::int64_t const start = GENERATE(0, 1, 10, 14, 50);
    CAPTURE(start);
    config.output.rdf = RdfConfig{"unused.csv", 10, 50, start};
    Simulation simulation(config, {make_initial_state(config), {}}, Beginning::fresh,
                          on_device(config));
    std::vector<std::uint64_t> expected(50, 0);
    std::int64_t samples = 0;
    Hooks hooks;
    hooks.trajectory = [&](Frame const& frame) {
        if (frame.state.step % 10 == 0 && frame.state.step >= start)
        {
            auto const counts = brute_force(config, frame.state, 50).pairs;
            for (std::size_t bin = 0; bin < counts.size(); ++bin)
            {
                expected[bin] += counts[bin];
            }
            ++samples;
        }
    };
    simulation.run(50, hooks);
    CHECK(samples == 6 - (start + 9) / 10);
    CHECK(simulation.rdf().samples == samples);
    CHECK(simulation.rdf().pairs == expected);
}

TEST_CASE("a resumed run drops g(r) of before start, and cannot change what it has summed")
{
    Config config = fcc_config(4);
    config.output.rdf = RdfConfig{"unused.csv", 10, 50, 0};
    auto const resume = [&](Checkpoint const& checkpoint) {
        return Simulation(config, checkpoint, Beginning::resumed, on_device(config));
    };
    Checkpoint checkpoint{make_initial_state(config), {}};
    checkpoint.state.step = 20;
    checkpoint.rdf = {2.5, std::vector<std::uint64_t>(50, 7), 3, 1.0};
    CHECK(resume(checkpoint).rdf().samples == 3);
    config.output.rdf->start = 20;
    CHECK(resume(checkpoint).rdf().samples == 3);
    config.output.rdf->start = 21;
    CHECK(resume(checkpoint).rdf().samples == 0);
    CHECK(resume(checkpoint).rdf().pairs == std::vector<std::uint64_t>(50, 0));
    config.output.rdf->bins = 40;
    CHECK(resume(checkpoint).rdf().pairs.size() == 40);
    config.output.rdf->start = 0;
    CHECK_THROWS_AS(resume(checkpoint), ConfigError);
}
