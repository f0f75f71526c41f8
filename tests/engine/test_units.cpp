/// The same physics in other units, diameters that differ much, what a precision refuses to hold.

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/check.hpp"
#include "engine/config/precision.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/precise_systems.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("units of a power of two change no bit of a force")
{
    System const liquid = hard_systems(Truncation::force_shifted)[1];
    for (Variant const& variant : variants())
    {
        System base = liquid;
        apply(variant, base.config);
        State const expected = loaded_state(base.config, base.state);
        for (int const power : {-40, -13, 12, 40})
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

TEST_CASE("energy and pressure are right in any units, for every truncation")
{
    for (Truncation const truncation :
         {Truncation::sharp, Truncation::shifted, Truncation::force_shifted, Truncation::switched})
    {
        Config const config = mixture_config(truncation);
        System const droplet{"mixed droplet", config,
                             state_at(config, cube(10.0), droplet_at({1.0, 2.0, 3.0}))};
        for (double const length : {1e-12, 1e-8, 1e-4, 1e4, 1e8})
        {
            System const scaled = in_units(droplet, length, 1e-3);
            CHECK(check_precision(scaled.config).empty());
            auto const reference = brute_force(scaled.config, scaled.state, 1);
            double const virial = reference.virial[0] + reference.virial[3] + reference.virial[5];
            for (Variant const& variant : variants())
            {
                Config run = scaled.config;
                apply(variant, run);
                run.neighbor.skin *= length;
                auto const backend = on_device(run);
                backend->load(scaled.state);
                Sample const sample = backend->sample();
                INFO(scaled.name << ", " << variant.name);
                // As check_against_reference(): packed displacements err most, by 2e-5.
                CHECK(std::abs(sample.potential_energy - reference.potential_energy) <=
                      1e-4 * reference.energy_scale);
                CHECK(std::abs(trace(sample.virial) - virial) <= 1e-4 * reference.virial_scale);
            }
        }
    }
}

TEST_CASE("a mixture whose diameters differ a thousandfold is right")
{
    Config config = lennard_jones_config();
    config.system.species = {{"A", 1.0, std::nullopt}, {"B", 1.0, std::nullopt}};
    double const small = GENERATE(1e-3, 1e-4);
    config.potential.pairs = {{"A", "A", 1.0, 1.0, std::nullopt},
                              {"B", "B", 1.0, small, std::nullopt}};
    config.potential.mixing = Mixing::lorentz_berthelot;
    // A droplet of A, and close pairs of B around it; every third particle is a B.
    std::mt19937 generator(3);
    std::normal_distribution<double> normal;
    std::vector<Vec3<double>> positions;
    auto const droplet = droplet_at({20.0, 20.0, 20.0});
    for (std::size_t n = 0; n < 50; ++n)
    {
        Vec3<double> direction{normal(generator), normal(generator), normal(generator)};
        direction = (1.05 * small / std::sqrt(dot(direction, direction))) * direction;
        Vec3<double> const place{1.3 + 0.8 * static_cast<double>(n), 14.0, 27.0};
        positions.insert(positions.end(), {droplet[2 * n], droplet[2 * n + 1], place});
        positions.insert(positions.end(),
                         {droplet[2 * n] + Vec3<double>{0.0, 0.0, 40.0},
                          droplet[2 * n + 1] + Vec3<double>{0.0, 0.0, 40.0}, place + direction});
    }
    State const state = state_at(config, cube(100.0), positions);
    Reference const reference = brute_force(config, state, 1);
    CHECK_FALSE(packs_chunks(config));
    for (Variant const& variant : variants())
    {
        Config run = config;
        apply(variant, run);
        if (!check_precision(run).empty())
        {
            continue;  // too coarse, and refused
        }
        State const result = loaded_state(run, state);
        // Positions modulo 8 list radii in 2^32 steps, two half steps, beside the small diameter;
        // pair forces there change by 19 / sigma of themselves.
        double const radius = 2.5 + variant.skin;
        double const error = variant.precision == Precision::double_
                                 ? 1e-10
                                 : 1e-5 + 20.0 * 8.0 * radius / fixed_steps / small;
        for (std::size_t i = 0; i < result.force.size(); ++i)
        {
            auto const difference = result.force[i] - reference.force[i];
            INFO(variant.name << ", particle " << i);
            double const size = std::sqrt(dot(reference.force[i], reference.force[i]));
            double const scale = i % 3 == 2 ? 24.0 / small : 1e3;
            CHECK(std::sqrt(dot(difference, difference)) <= error * (size + scale));
        }
    }
}

TEST_CASE("what a precision cannot hold is refused, and the cure named")
{
    auto const message = [](Config const& config) {
        std::string text;
        for (Problem const& problem : check(config))
        {
            text += problem.key + ": " + problem.message + "\n";
        }
        return text;
    };
    auto const with = [](double sigma, double epsilon, Precision precision) {
        Config config = lennard_jones_config();
        config.system.start =
            LatticeConfig{LatticeType::fcc, {5, 5, 5}, 0.8442 / sigma / sigma / sigma};
        config.system.temperature = 0.0;
        config.potential.cutoff = 2.5 * sigma;
        config.neighbor.skin = 0.3 * sigma;
        config.potential.pairs = {{"A", "A", epsilon, sigma, std::nullopt}};
        config.force.precision = precision;
        return config;
    };
    for (Precision const precision : {Precision::mixed, Precision::single, Precision::double_})
    {
        // As it comes, in nanometers, and in kilometers; argon in SI units.
        for (auto const& [sigma, epsilon] :
             {std::pair{1.0, 1.0}, std::pair{0.34, 0.996}, std::pair{1e-12, 1.0},
              std::pair{1e13, 1.0}, std::pair{3.4e-10, 1.65e-21}, std::pair{1.0, 0.0}})
        {
            CHECK(message(with(sigma, epsilon, precision)) == "");
        }
        bool const wide = precision == Precision::double_;
        for (auto const& [sigma, epsilon] : {std::pair{1e-20, 1.0}, std::pair{1e20, 1.0},
                                             std::pair{1.0, 1e30}, std::pair{1.0, 1e-35}})
        {
            std::string const text = message(with(sigma, epsilon, precision));
            INFO("sigma " << sigma << ", epsilon " << epsilon);
            CHECK(text.empty() == wide);
            CHECK((wide || text.find("force.precision: double") != std::string::npos));
        }
        CHECK_FALSE(message(with(1e-45, 1.0, precision)).empty());
    }
    // A list radius far beyond sigma: positions in float no longer resolve it.
    Config coarse = with(1e-3, 1.0, Precision::single);
    coarse.neighbor.skin = 0.3;
    CHECK_FALSE(message(coarse).empty());
    coarse.force.precision = Precision::mixed;
    CHECK(message(coarse).empty());
    coarse.potential.pairs[0].sigma = 1e-8;
    CHECK(message(coarse).find("neighbor.skin") != std::string::npos);
    coarse.force.precision = Precision::double_;
    CHECK(message(coarse).empty());
}

TEST_CASE("chunks hold floats, and say so, where packed ones would err more than they promise")
{
    Config config = lennard_jones_config();
    config.force.path = ForcePath::reordered;
    CHECK(packs_chunks(config));
    CHECK(packed_force_error(config) < 2.5e-5);
    CHECK(describe_packing(config).empty());
    config.potential.cutoff = 20.0;
    CHECK_FALSE(packs_chunks(config));
    on_device(config);
    REQUIRE(notices.size() == 1);
    CHECK(notices[0].find("chunks hold floats") != std::string::npos);
    CHECK(notices[0].find("cutoff 20 times") != std::string::npos);
    config.reorder.format = ChunkFormat::plain;
    CHECK(describe_packing(config).empty());
    // The forces are those of floats.
    config.reorder.format = ChunkFormat::packed;
    config.neighbor.skin = 0.0;
    Box const box = cube(41.0);
    State const state = state_at(config, box, random_positions(400, box, 0.95, 3));
    Reference const reference = brute_force(config, state, 1);
    State const result = loaded_state(config, state);
    for (std::size_t i = 0; i < result.force.size(); ++i)
    {
        auto const difference = result.force[i] - reference.force[i];
        CHECK(std::sqrt(dot(difference, difference)) <= 1e-5 * (reference.max_force + 24.0));
    }
}
