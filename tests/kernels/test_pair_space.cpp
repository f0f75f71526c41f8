/// Precision wherever particles are: coordinates modulo an extent, margins of lists, pairs half an
/// edge apart, boxes and cutoffs.

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "engine/config/errors.hpp"
#include "engine/cpu/lists.hpp"
#include "engine/cpu/particles.hpp"
#include "engine/simulation.hpp"
#include "kernels/arithmetic/compact_position.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/precise_systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

/// Entries of the list that a run of `config` builds first, pairs from both sides.
template <class P>
std::int64_t listed(Config const& config, State const& state)
{
    Plan const plan(config);
    CpuLists<P> lists(plan, ignore);
    lists.prepare(cpu_layout(plan, ForcePath::gather, state.particle_count(), state.box));
    Particles particles;
    particles.load(state);
    lists.build(particles, PotentialTables<typename P::Real>(config));
    return lists.counts().pairs;
}

}  // namespace

TEST_CASE("a coordinate folds exactly, wherever it is")
{
    for (double const extent : {7.125, 6.2, 9.7 / 3.0})
    {
        for (double const place : {0.0, 3.25, 1e3, 123456.789, 1e9 / 7.0, 1e12})
        {
            // The rest of a division of doubles is a double, and std::fmod is exact.
            double const exact = std::fmod(place, extent);
            double const folded = fold(place, extent, 1.0 / extent);
            double const opposite = fold(-place, extent, 1.0 / extent);
            INFO(place << " modulo " << extent);
            CHECK((folded == exact || folded == exact - extent));
            CHECK((opposite == -exact || opposite == extent - exact));
        }
    }
    double const extent = 7.125;
    for (double const lost : {1e300, -1e300, std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN()})
    {
        CHECK(fold(lost, extent, 1.0 / extent) == 0.0);
    }
}

TEMPLATE_TEST_CASE("displacements are those of doubles wherever particles are", "", FixedPosition,
                   FloatPosition, CompactPosition)
{
    using P = TestType;
    Box const open = cube(10.0, Boundary::open);
    Box const rod = cube(123456.7);
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> near(-1.5, 1.5);
    for (Box const& box : {open, rod})
    {
        PairSpace const space = listed_space(box, 2.8, 0.3);
        for (int axis = 0; axis < 3; ++axis)
        {
            CHECK(space.extent[axis] >= 6.2);
            CHECK(space.extent[axis] < 6.3);
        }
        for (double const place : {0.0, -17.3, 1e3, 123456.0, -1e6, 1e8})
        {
            for (int trial = 0; trial < 200; ++trial)
            {
                Vec3<double> a{place + near(generator), place + near(generator), near(generator)};
                Vec3<double> b{place + near(generator), place + near(generator), near(generator)};
                Vec3<std::int32_t> image{};
                wrap(a, image, box);
                wrap(b, image, box);
                P first{};
                P second{};
                encode(a, 0, space, first);
                encode(b, 0, space, second);
                auto const d = displacement(first, second, P::scale(space));
                auto const mirrored = displacement(second, first, P::scale(space));
                auto const exact = minimum_image(a - b, box);
                // The fold rounds to what doubles resolve at an edge.
                double const tolerance = distance_rounding<P>(space, 3.0);
                for (int axis = 0; axis < 3; ++axis)
                {
                    INFO("place " << place << ", exact " << exact[axis] << ", got " << d[axis]);
                    REQUIRE(std::abs(d[axis] - exact[axis]) <= tolerance);
                    REQUIRE(mirrored[axis] == -d[axis]);
                }
            }
        }
    }
}

TEMPLATE_TEST_CASE("a list holds every pair up to its radius, however small the skin", "",
                   FixedPosition, FloatPosition, DoublePosition)
{
    // Pairs just inside the list radius, in all directions, each by itself.
    for (double const skin : {0.3, 0.05, 1e-3, 1e-6, 1e-9})
    {
        Config config = lennard_jones_config();
        config.neighbor = {Rebuild::on_displacement, skin};
        // The relative rounding of these doubles themselves, and no more.
        double const length = (2.5 + skin) * (1.0 - 1e-14);
        std::mt19937 generator(23);
        std::normal_distribution<double> normal;
        std::vector<Vec3<double>> positions;
        for (int n = 0; n < 1000; ++n)
        {
            Vec3<double> const center{20.0 + 10.0 * (n % 10), 20.0 + 10.0 * (n / 10 % 10),
                                      20.0 + 10.0 * (n / 100)};
            Vec3<double> direction{normal(generator), normal(generator), normal(generator)};
            direction = (0.5 * length / std::sqrt(dot(direction, direction))) * direction;
            positions.push_back(center + direction);
            positions.push_back(center - direction);
        }
        INFO("skin " << skin);
        CHECK(listed<TestType>(config, state_at(config, cube(140.0), positions)) == 2000);
        CHECK(listed<TestType>(config, state_at(config, cube(1.0, Boundary::open), positions)) ==
              2000);
    }
}

TEMPLATE_TEST_CASE("lists of random particles hold what long doubles find, and little else", "",
                   FixedPosition, FloatPosition, DoublePosition)
{
    Box const slab{{9.0, 31.0, 400.0}, {Boundary::periodic, Boundary::open, Boundary::periodic}};
    for (Box const& box : {cube(12.0), cube(40.0), slab})
    {
        for (double const skin : {0.3, 0.01})
        {
            Config config = lennard_jones_config();
            config.neighbor = {Rebuild::on_displacement, skin};
            State const state = state_at(config, box, random_positions(700, box, 0.1, 41));
            long double const radius = 2.5L + skin;
            std::int64_t least = 0;
            std::int64_t most = 0;
            for (std::size_t i = 0; i < state.position.size(); ++i)
            {
                for (std::size_t j = 0; j < state.position.size(); ++j)
                {
                    long double r_sq = 0.0L;
                    for (int axis = 0; axis < 3; ++axis)
                    {
                        long double const edge = box.edges[axis];
                        long double d = static_cast<long double>(state.position[i][axis]) -
                                        state.position[j][axis];
                        d -= box.periodic(axis) ? edge * std::rint(d / edge) : 0.0L;
                        r_sq += d * d;
                    }
                    least += i != j && r_sq <= radius * radius ? 1 : 0;
                    most += i != j && r_sq <= radius * radius * (1.0L + 4e-5L) ? 1 : 0;
                }
            }
            std::int64_t const found = listed<TestType>(config, state);
            INFO("edges " << box.edges.x << " " << box.edges.z << ", skin " << skin);
            CHECK(found >= least);
            CHECK(found <= most);
        }
    }
}

TEST_CASE("a perfect crystal with an edge of exactly two cutoffs feels no force")
{
    for (double const cutoff : {2.054, 2.5, 4.0, 2.2222222})
    {
        for (int const along : {2, 6})
        {
            System const system = half_edge_crystal(cutoff, along);
            CHECK(check_box(system.config, system.state.box).empty());
            double const count = static_cast<double>(system.state.particle_count());
            for (Variant const& variant : variants())
            {
                Config config = system.config;
                apply(variant, config);
                State const result = loaded_state(config, system.state);
                double worst = 0.0;
                for (Vec3<double> const& force : result.force)
                {
                    worst = std::max(worst, std::sqrt(dot(force, force)));
                }
                INFO("cutoff " << cutoff << ", " << variant.name);
                CHECK(worst < force_left(cutoff));
                CHECK(loaded(config, system.state)->sample().potential_energy / count ==
                      Approx(fcc_energy(cutoff, cutoff)).epsilon(1e-4));
            }
        }
    }
}

TEST_CASE("pairs half an edge apart, and just less, count alike from both sides")
{
    // L = 2 rc: the pair's copies are at rc and beyond.
    double const cutoff = GENERATE(2.054, 2.5, 4.0);
    double const edge = 2.0 * cutoff;
    for (double const apart : {0.5, 0.5 - 1e-16, 0.5 - 1e-9, 0.5 - 1e-7, 0.5 - 1e-5})
    {
        for (double const place : {0.0, 0.3})
        {
            Config const lj = lennard_jones_config(cutoff);
            State const state = state_at(
                lj, cube(edge), {{place * edge, 1.0, 1.0}, {(place + apart) * edge, 1.0, 1.0}});
            for (Variant const& variant : variants())
            {
                Config config = lj;
                apply(variant, config);
                config.output.thermo.emplace().coordination = cutoff;
                State const result = loaded_state(config, state);
                INFO(variant.name << ", " << apart << " of the edge apart at " << place);
                CHECK(result.force[0].x == -result.force[1].x);
                CHECK((apart < 0.5 || result.force[0].x == 0.0));
                CHECK((apart > 0.49999 || result.force[0].x != 0.0));
                std::vector<std::uint64_t> pairs(10, 0);
                auto const backend = on_device(config);
                backend->load(state);
                backend->count_pairs(pairs);
                std::uint64_t const counted = std::accumulate(pairs.begin(), pairs.end(), 0ULL);
                CHECK((apart < 0.5 || counted == 0));
                CHECK((apart > 0.49999 || counted == 1));
                auto const both_sides = backend->sample().pair_sums.front().value();
                CHECK(both_sides == 2.0 * static_cast<double>(counted));
            }
        }
    }
}

TEST_CASE("every state meets its config's box, whatever it is from")
{
    Config config = lennard_jones_config(3.0);
    config.system.start = FileConfig{"start.xyz", std::nullopt};
    Checkpoint const checkpoint{state_at(config, cube(5.9), {{1.0, 1.0, 1.0}, {2.5, 1.0, 1.0}}),
                                {}};
    for (Beginning const beginning : {Beginning::fresh, Beginning::resumed})
    {
        std::string const message = message_of<ConfigError>(
            [&] { Simulation(config, checkpoint, beginning, on_device(config)); });
        CHECK(message.find("5.9 along x") != std::string::npos);
    }
    config.potential.cutoff = 2.95;
    CHECK_NOTHROW(Simulation(config, checkpoint, Beginning::fresh, on_device(config)));
}
