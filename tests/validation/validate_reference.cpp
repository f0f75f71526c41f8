/// Against published configurations and a trajectory of another program, digit by digit.
///
/// NIST Standard Reference Simulation Website, Lennard-Jones fluid reference calculations (four
/// configurations); LAMMPS 29Sep2021 (Thompson et al., Comp. Phys. Comm. 271, 108171 (2022)).

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "engine/start/initial.hpp"
#include "engine/state/observables.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/reference_data.hpp"
#include "tests/support/rounding.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

std::filesystem::path const data = reference_folder();

std::vector<ForceConfig> all_forces(std::vector<Precision> const& precisions)
{
    std::vector<ForceConfig> all;
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        for (Precision const precision : precisions)
        {
            all.push_back({path, precision});
        }
    }
    return all;
}

/// NIST's format: edges; count; then id and coordinates, the cell centered at the origin.
State read_configuration(Config const& config, std::string const& name)
{
    std::ifstream in(data / "nist_lj" / name);
    Box box;
    std::size_t count = 0;
    in >> box.edges.x >> box.edges.y >> box.edges.z >> count;
    std::vector<Vec3<double>> positions(count);
    for (Vec3<double>& position : positions)
    {
        std::int64_t id = 0;
        in >> id >> position.x >> position.y >> position.z;
    }
    REQUIRE(in);
    return state_at(config, box, std::move(positions));
}

Vec3<double> triple(Row const& row, std::string const& prefix)
{
    return {number(row, prefix + "x"), number(row, prefix + "y"), number(row, prefix + "z")};
}

double distance(Vec3<double> a, Vec3<double> b)
{
    return std::sqrt(dot(a - b, a - b));
}

/// A step of the 500-particle melt: rows in id order; the box is a cube.
std::vector<Row> melt_rows(std::string const& step)
{
    return read_table(data / "lammps" / ("melt500_step" + step + ".csv"));
}

State melt_start(Config const& config)
{
    std::vector<Vec3<double>> positions;
    std::vector<Vec3<double>> velocities;
    for (Row const& row : melt_rows("000"))
    {
        positions.push_back(triple(row, ""));
        velocities.push_back(triple(row, "v"));
    }
    State state = state_at(config, cube(8.3979809569125372), std::move(positions));
    state.velocity = velocities;
    return state;
}

}  // namespace

TEST_CASE("NIST sample configurations: energy and virial of each cut, and tails")
{
    std::vector<Row> const rows = read_table(data / "nist_lj" / "reference_and_recomputed.csv");
    REQUIRE(rows.size() == 12);
    for (Row const& row : rows)
    {
        bool const force_shifted = row.at("scheme") == "LFS";
        Config config = lennard_jones_config(
            number(row, "rc"), force_shifted ? Truncation::force_shifted : Truncation::sharp);
        State const state =
            read_configuration(config, "lj_sample_config_periodic" + row.at("config") + ".txt");
        REQUIRE(state.particle_count() == std::stol(row.at("N")));
        double const energy = number(row, "recomputed_Upair");
        double const virial = number(row, "recomputed_Wpair");
        INFO("configuration " << row.at("config") << ", cutoff " << row.at("rc") << " "
                              << row.at("scheme"));
        for (ForceConfig const& force : all_forces({Precision::double_, Precision::mixed}))
        {
            config.force = force;
            INFO("path " << static_cast<int>(force.path) << ", precision "
                         << static_cast<int>(force.precision));
            Sample const sample = loaded(config, state)->sample();
            Tolerance tolerance = sum_tolerance(config, state);
            if (force.precision == Precision::double_)
            {
                // Two files hold 1e-11 of error in a coordinate, which moves the sums by 1e-9.
                tolerance = {1e-9 * std::abs(energy), 1e-9 * std::abs(virial)};
            }
            CHECK(std::abs(sample.potential_energy - energy) <= tolerance.energy);
            CHECK(std::abs(trace(sample.virial) - virial) <= tolerance.virial);
            // What NIST prints, to five digits.
            CHECK(sample.potential_energy ==
                  Approx(number(row, "nist_Upair")).epsilon(5e-5).margin(tolerance.energy));
            CHECK(trace(sample.virial) ==
                  Approx(number(row, "nist_Wpair")).epsilon(5e-5).margin(tolerance.virial));
        }
        if (!force_shifted)
        {
            auto const particles = static_cast<double>(state.particle_count());
            double const volume = state.box.volume();
            TailCorrection const tail =
                tail_integrals(resolve_pairs(config), {state.particle_count()}, volume);
            CHECK(tail.energy * particles == Approx(number(row, "recomputed_ULRC")).epsilon(1e-12));
            CHECK(tail.pressure * 3.0 * volume ==
                  Approx(number(row, "recomputed_WLRC_not_in_NIST")).epsilon(1e-12));
            CHECK(tail.energy * particles == Approx(number(row, "nist_ULRC")).epsilon(5e-5));
        }
    }
}

TEST_CASE("a melt follows LAMMPS's trajectory particle by particle")
{
    std::vector<std::string> const steps{"000", "001", "002", "050", "100", "200"};
    for (ForceConfig const& force :
         all_forces({Precision::double_, Precision::mixed, Precision::single}))
    {
        Config config = lennard_jones_config(2.5, Truncation::shifted);
        config.force = force;
        // After 200 steps (1 tau) a plain velocity Verlet in double agrees to 6e-14. Displacements
        // that round by d push forces by up to 1e3 d, the curvature of close pairs: in mixed, sums
        // of random sign with d of 1e-6 (packed), some 1e-4. That moves positions by 1e-4 / 2 in a
        // tau, while chaos grows and collisions turn the error; single has coarser positions.
        double const last = force.precision == Precision::double_ ? 1e-11
                            : force.precision == Precision::mixed ? 5e-5
                                                                  : 5e-4;
        State state = melt_start(config);
        auto const backend = loaded(config, state);
        for (std::string const& step : steps)
        {
            std::int64_t const target = std::stol(step);
            backend->advance(target - state.step);
            backend->save(state);
            REQUIRE(state.step == target);
            std::vector<Row> const rows = melt_rows(step);
            REQUIRE(rows.size() == state.position.size());
            double position_error = 0.0;
            double velocity_error = 0.0;
            double force_error = 0.0;
            for (std::size_t i = 0; i < rows.size(); ++i)
            {
                Vec3<double> unwrapped = state.position[i];
                for (int axis = 0; axis < 3; ++axis)
                {
                    unwrapped[axis] += state.image[i][axis] * state.box.edges[axis];
                }
                REQUIRE(std::stol(rows[i].at("id")) == state.id[i]);
                position_error = std::max(position_error, distance(unwrapped, triple(rows[i], "")));
                velocity_error =
                    std::max(velocity_error, distance(state.velocity[i], triple(rows[i], "v")));
                force_error = std::max(force_error, distance(state.force[i], triple(rows[i], "f")));
            }
            INFO("path " << static_cast<int>(force.path) << ", precision "
                         << static_cast<int>(force.precision) << ", step " << step);
            // In the first steps nothing has grown: forces err by 1e3 d, positions by that times
            // t^2 and the rounding of their sums. Later frequencies reach 20 / tau.
            bool const early = target <= 2;
            double const curved = 1e3 * displacement_error(config, state.box);
            double const time = config.run.dt * static_cast<double>(target);
            double const tolerance = early ? curved * time * time + 1e-14 : last;
            CHECK(position_error <= tolerance);
            CHECK(velocity_error <= (early ? curved * time + 1e-14 : 20.0 * last));
            CHECK(force_error <= (early ? curved : 1e3 * last));
        }
    }
}

TEST_CASE("a melt's observables follow LAMMPS's log")
{
    std::vector<Row> const rows = read_table(data / "lammps" / "melt500_thermo.csv");
    REQUIRE(rows.size() > 20);
    char const* const components[] = {"pxx", "pxy", "pxz", "pyy", "pyz", "pzz"};
    for (ForceConfig const& force : all_forces({Precision::double_, Precision::mixed}))
    {
        Config config = lennard_jones_config(2.5, Truncation::shifted);
        config.force = force;
        State state = melt_start(config);
        auto const backend = loaded(config, state);
        // Logged with 15 digits. In mixed, positions off by 5e-5 at most and mostly far less: mean
        // energies move by the mean force times that, pressures by ten times more.
        double const tolerance = force.precision == Precision::double_ ? 1e-11 : 2e-4;
        for (Row const& row : rows)
        {
            std::int64_t const target = std::stol(row.at("step"));
            backend->advance(target - state.step);
            state.step = target;
            Observables const o = make_observables(backend->sample(), state, std::nullopt);
            INFO("path " << static_cast<int>(force.path) << ", precision "
                         << static_cast<int>(force.precision) << ", step " << target);
            CHECK(std::abs(o.temperature - number(row, "temp")) <= tolerance);
            CHECK(std::abs(o.potential_energy - number(row, "epair")) <= tolerance);
            CHECK(std::abs(o.kinetic_energy - number(row, "ke")) <= tolerance);
            CHECK(std::abs(o.total_energy - number(row, "etotal")) <= tolerance);
            CHECK(std::abs(o.pressure.value() - number(row, "press")) <= 10.0 * tolerance);
            for (std::size_t component = 0; component < 6; ++component)
            {
                CHECK(std::abs(o.pressure_tensor.value()[component] -
                               number(row, components[component])) <= 10.0 * tolerance);
            }
        }
    }
}

TEST_CASE("the 32000-particle benchmark starts at LAMMPS's logged values")
{
    Row const row = read_table(data / "lammps_bench_in_lj_32000.csv").at(0);
    REQUIRE(row.at("step") == "0");
    Config config = lennard_jones_config(2.5, Truncation::sharp);
    config.system.start = LatticeConfig{LatticeType::fcc, {20, 20, 20}, 0.8442};
    config.system.temperature = number(row, "Temp");
    for (ForceConfig const& force : all_forces({Precision::double_, Precision::mixed}))
    {
        config.force = force;
        State const state = make_initial_state(config);
        Observables const o =
            make_observables(loaded(config, state)->sample(), state, std::nullopt);
        // Half a unit of the last logged digit; packed displacements err by up to 1e-6, the same
        // way for all of a shell: 27 pairs of mean force 1 and mean d(rF)/dr 20 a particle.
        bool const exact = force.precision == Precision::double_;
        double const slack = exact ? 0.0 : 27.0 * 1e-6;
        INFO("path " << static_cast<int>(force.path) << ", precision "
                     << static_cast<int>(force.precision));
        CHECK(std::abs(o.temperature - 1.44) <= 1e-12);
        CHECK(std::abs(o.potential_energy - number(row, "E_pair")) <= 0.51e-7 + slack);
        CHECK(std::abs(o.total_energy - number(row, "TotEng")) <= 0.51e-7 + slack);
        CHECK(std::abs(o.pressure.value() - number(row, "Press")) <=
              0.51e-7 + slack * 20.0 * 0.8442 / 3.0);
    }
}
