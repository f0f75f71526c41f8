#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "engine/start/initial.hpp"
#include "engine/start/lattice.hpp"
#include "engine/start/random_start.hpp"
#include "engine/state/overlap.hpp"
#include "kernels/arithmetic/random.hpp"
#include "tests/support/reference_data.hpp"
#include "tests/support/support.hpp"

using namespace tessera;
using Catch::Matchers::Contains;

namespace
{

constexpr double epsilon = std::numeric_limits<double>::epsilon();

Config lattice_config(LatticeType type, Vec3<std::int64_t> cells, double density)
{
    Config config;
    config.system.start = LatticeConfig{type, cells, density};
    config.system.temperature = 1.44;
    config.system.seed = 87287;
    return config;
}

double twice_kinetic(State const& state)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < state.velocity.size(); ++i)
    {
        double const mass = state.species_mass[static_cast<std::size_t>(state.species[i])];
        sum += mass * dot(state.velocity[i], state.velocity[i]);
    }
    return sum;
}

Vec3<double> momentum(State const& state)
{
    Vec3<double> sum{};
    for (std::size_t i = 0; i < state.velocity.size(); ++i)
    {
        double const mass = state.species_mass[static_cast<std::size_t>(state.species[i])];
        sum += mass * state.velocity[i];
    }
    return sum;
}

}  // namespace

TEST_CASE("Philox gives the published numbers")
{
    // Known answers of Random123's kat_vectors, philox4x32 of 10 rounds: counter and key all ones.
    RandomBlock const ones = random_block({0xffffffffffffffffU, 0xffffffffffffffffU,
                                           0xffffffffffffU, static_cast<RandomPurpose>(0xff)},
                                          0xff);
    CHECK(ones.word[0] == 0x408f276dU);
    CHECK(ones.word[1] == 0x41c83b0eU);
    CHECK(ones.word[2] == 0xa20bc7c6U);
    CHECK(ones.word[3] == 0x6d5451fdU);
    RandomBlock const zeros = random_block({0, 0, 0, static_cast<RandomPurpose>(0)}, 0);
    CHECK(zeros.word[0] == 0x6627e8d5U);
    CHECK(zeros.word[3] == 0x9b00dbd8U);
    CHECK(to_unit(0xffffffffU, 0xffffffffU) < 1.0);
    CHECK(to_unit(0, 0) == 0.0);
}

TEST_CASE("every lattice has its density, its neighbors and its count")
{
    struct Case
    {
        LatticeType type;
        std::int64_t per_cell;
        int neighbors;
        double packing;  // density x (nearest distance)^3
    };
    Case const one = GENERATE(Case{LatticeType::sc, 1, 6, 1.0},
                              Case{LatticeType::bcc, 2, 8, 0.75 * std::sqrt(3.0)},
                              Case{LatticeType::fcc, 4, 12, std::sqrt(2.0)},
                              Case{LatticeType::hcp, 4, 12, std::sqrt(2.0)});
    Config const config = lattice_config(one.type, {3, 4, 5}, 0.7);
    State const state = make_initial_state(config);
    REQUIRE(state.particle_count() == 60 * one.per_cell);
    CHECK(initial_particle_count(config) == state.particle_count());
    CHECK(state.density() == Approx(0.7).epsilon(8 * epsilon));
    double const nearest = std::cbrt(one.packing / 0.7);
    // Coordinates of a few sigma carry a few ulp each.
    double const tolerance = 64 * epsilon;
    for (std::size_t i = 0; i < state.position.size(); ++i)
    {
        int touching = 0;
        for (std::size_t j = 0; j < state.position.size(); ++j)
        {
            Vec3<double> const r = minimum_image(state.position[i] - state.position[j], state.box);
            double const length = std::sqrt(dot(r, r));
            touching += i != j && std::abs(length - nearest) < tolerance * nearest ? 1 : 0;
            REQUIRE((i == j || length > nearest * (1.0 - tolerance)));
        }
        REQUIRE(touching == one.neighbors);
        for (int axis = 0; axis < 3; ++axis)
        {
            REQUIRE((state.position[i][axis] >= 0.0 &&
                     state.position[i][axis] < state.box.edges[axis]));
        }
        REQUIRE(state.id[i] == static_cast<std::int64_t>(i) + 1);
    }
}

TEST_CASE("the melt is the one that others start from")
{
    std::ifstream file(test::reference_folder() / "lammps" / "melt500_step000.csv");
    REQUIRE(file);
    std::vector<Vec3<double>> const positions =
        lattice_positions({LatticeType::fcc, {5, 5, 5}, 0.8442});
    std::string line;
    std::size_t particle = 0;
    while (std::getline(file, line))
    {
        if (line.empty() || line[0] < '0' || line[0] > '9')
        {
            continue;
        }
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        std::int64_t id = 0;
        Vec3<double> expected;
        fields >> id >> expected.x >> expected.y >> expected.z;
        REQUIRE(id == static_cast<std::int64_t>(particle) + 1);
        for (int axis = 0; axis < 3; ++axis)
        {
            // A few ulp of an edge of 8.4: both derive the constant from the density.
            REQUIRE(std::abs(positions[particle][axis] - expected[axis]) < 16 * 8.4 * epsilon);
        }
        ++particle;
    }
    CHECK(particle == 500);
    LatticeConfig const melt{LatticeType::fcc, {1, 1, 1}, 0.8442};
    CHECK(lattice_edges(melt).x == Approx(1.6795961914).epsilon(1e-10));
}

TEST_CASE("velocities have no momentum and exactly the temperature")
{
    Config config = lattice_config(LatticeType::fcc, {6, 6, 6}, 0.8);
    config.system.species = {{"A", 1.0, std::nullopt}, {"B", 39.5, std::nullopt}};
    State const state = make_initial_state(config);
    double const n = static_cast<double>(state.particle_count());
    // N terms of size sqrt(m T), rounded once each: sqrt(N) of them add up.
    double const tolerance = 16 * epsilon * std::sqrt(n) * std::sqrt(39.5 * 1.44);
    CHECK(std::abs(momentum(state).x) < tolerance);
    CHECK(std::abs(momentum(state).y) < tolerance);
    CHECK(std::abs(momentum(state).z) < tolerance);
    CHECK(twice_kinetic(state) / (3.0 * n - 3.0) == Approx(1.44).epsilon(1e-13));
    CHECK(twice_kinetic(state) > 0.0);
}

TEST_CASE("velocities are Maxwell's: moments within 4.5 standard errors")
{
    Config config = lattice_config(LatticeType::sc, {30, 30, 30}, 0.8);
    config.system.temperature = 2.0;
    config.system.species[0].mass = 4.0;
    State const state = make_initial_state(config);
    double const n = 3.0 * static_cast<double>(state.particle_count());
    double second = 0.0, fourth = 0.0, product = 0.0;
    for (Vec3<double> const& v : state.velocity)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            double const g_sq = v[axis] * v[axis] * 4.0 / 2.0;
            second += g_sq / n;
            fourth += g_sq * g_sq / n;
            product += v[axis] * v[(axis + 1) % 3] * 4.0 / 2.0 / n;
        }
    }
    CHECK(second == Approx(1.0).epsilon(1e-3));
    // var(g^4) = 96, var(g g') = 1.
    CHECK(std::abs(fourth - 3.0) < 4.5 * std::sqrt(96.0 / n));
    CHECK(std::abs(product) < 4.5 / std::sqrt(n));
}

TEST_CASE("velocities depend on the seed and the id alone")
{
    Config config = lattice_config(LatticeType::sc, {4, 4, 4}, 0.8);
    State const state = make_initial_state(config);
    CHECK(make_initial_state(config).velocity == state.velocity);
    config.system.seed = 87288;
    State const other = make_initial_state(config);
    double correlation = 0.0;
    for (std::size_t i = 0; i < state.velocity.size(); ++i)
    {
        correlation += dot(state.velocity[i], other.velocity[i]) / (1.44 * 3.0 * 64.0);
    }
    CHECK(std::abs(correlation) < 4.5 / std::sqrt(3.0 * 64.0));
    config.system.seed = 87287 + (std::uint64_t{1} << 63);
    CHECK_FALSE(make_initial_state(config).velocity == state.velocity);
}

TEST_CASE("one particle keeps its three degrees of freedom, and zero temperature is rest")
{
    Config config = lattice_config(LatticeType::sc, {1, 1, 1}, 0.001);
    State const one = make_initial_state(config);
    CHECK(twice_kinetic(one) / 3.0 == Approx(1.44).epsilon(1e-14));
    CHECK(dot(momentum(one), momentum(one)) > 0.0);
    config.system.start = LatticeConfig{LatticeType::fcc, {2, 2, 2}, 0.8};
    config.system.temperature = 0.0;
    for (Vec3<double> const& velocity : make_initial_state(config).velocity)
    {
        CHECK(velocity == Vec3<double>{});
    }
}

TEST_CASE("species come in exact numbers, shuffled by the seed")
{
    Config config = lattice_config(LatticeType::fcc, {5, 5, 5}, 1.2);
    config.system.species = {{"A", 1.0, 0.8}, {"B", 1.0, 0.2}};
    State const state = make_initial_state(config);
    CHECK(std::count(state.species.begin(), state.species.end(), 0) == 400);
    CHECK(std::count(state.species.begin(), state.species.end(), 1) == 100);
    CHECK_FALSE(std::is_sorted(state.species.begin(), state.species.end()));
    CHECK(make_initial_state(config).species == state.species);
    config.system.seed = 1;
    CHECK_FALSE(make_initial_state(config).species == state.species);

    // Thirds of 500 by largest remainder; equal remainders go to the first.
    config.system.species = {
        {"A", 1.0, std::nullopt}, {"B", 1.0, std::nullopt}, {"C", 1.0, std::nullopt}};
    State const thirds = make_initial_state(config);
    CHECK(std::count(thirds.species.begin(), thirds.species.end(), 0) == 167);
    CHECK(std::count(thirds.species.begin(), thirds.species.end(), 1) == 167);
    CHECK(std::count(thirds.species.begin(), thirds.species.end(), 2) == 166);
    // 3.5, 2.1 and 1.4 of 7: the half is the largest remainder.
    Config seven = lattice_config(LatticeType::sc, {7, 1, 1}, 1.0);
    seven.system.species = {{"A", 1.0, 0.2}, {"B", 1.0, 0.5}, {"C", 1.0, 0.3}};
    CHECK(initial_species_counts(seven) == std::vector<std::int64_t>{1, 4, 2});
    config.system.species = {{"A", 1.0, 1.0}, {"B", 1.0, 0.0}};
    State const all = make_initial_state(config);
    CHECK(std::count(all.species.begin(), all.species.end(), 0) == 500);
}

TEST_CASE("random starts keep their distance, up to the feasible density")
{
    Config config;
    config.system.temperature = 1.0;
    config.system.start = RandomConfig{1500, feasible_density, 1.0};
    State const state = make_initial_state(config);
    CHECK(state.particle_count() == 1500);
    CHECK(state.density() == Approx(feasible_density).epsilon(1e-14));
    CHECK_FALSE(find_overlaps(state, {{1.0, 1.0 / 0.2, 2.5}}).worst);
    CHECK(make_initial_state(config).position == state.position);
    config.system.seed = 2;
    CHECK_FALSE(make_initial_state(config).position == state.position);
}

TEST_CASE("a random start that cannot be met is refused, naming what can")
{
    Config config;
    config.system.temperature = 1.0;
    config.system.start = RandomConfig{100, 1.2, 0.9};
    CHECK_THROWS_AS(make_initial_state(config), ConfigError);
    // 0.6 / 0.9^3 and (0.6 / 1.2)^(1/3).
    CHECK_THROWS_WITH(make_initial_state(config), Contains("0.823") && Contains("0.7937"));
    config.system.start = RandomConfig{300, 0.73, 1.0};
    CHECK_THROWS_WITH(make_initial_state(config), Contains("trials"));
    config.system.start = RandomConfig{50, 100.0, 0.0};
    CHECK(make_initial_state(config).particle_count() == 50);
}

TEST_CASE("a state from a file is sorted and wrapped")
{
    Config config;
    config.system.start = FileConfig{"start.xyz", std::nullopt};
    State file;
    file.box.edges = {4.0, 4.0, 4.0};
    file.box.boundary.z = Boundary::open;
    file.step = 77;
    file.id = {9, 2, 5};
    file.species = {1, 0, 1};
    file.species_names = {"A", "B"};
    file.species_mass = {1.0, 3.0};
    file.position = {{-1.0, 1.0, 9.0}, {4.0, 1.0, 1.0}, {1.0, 2.0, 3.0}};
    file.velocity = {{1.0, 0.0, 0.0}, {2.0, 0.0, 0.0}, {3.0, 0.0, 0.0}};

    State state = file;
    settle_file_state(state);
    complete_file_state(state, config);
    CHECK(state.id == std::vector<std::int64_t>{2, 5, 9});
    CHECK(state.species == std::vector<std::int32_t>{0, 1, 1});
    CHECK(state.position[2] == Vec3<double>{3.0, 1.0, 9.0});
    CHECK(state.image[2] == Vec3<std::int32_t>{-1, 0, 0});
    CHECK(state.position[0] == Vec3<double>{0.0, 1.0, 1.0});
    CHECK(state.image[0] == Vec3<std::int32_t>{1, 0, 0});
    CHECK(state.velocity[0].x == 2.0);
    CHECK(state.step == 0);
    CHECK(state.force.size() == 3);

    config.system.temperature = 0.5;
    complete_file_state(state, config);
    CHECK(twice_kinetic(state) / 6.0 == Approx(0.5).epsilon(1e-14));
    config.system.temperature.reset();

    state = file;
    state.image = {{0, 0, 2}, {0, 0, 0}, {1, 0, 0}};
    settle_file_state(state);
    CHECK(state.position[2].z == 17.0);  // an open axis keeps no image
    CHECK(state.image[2] == Vec3<std::int32_t>{-1, 0, 0});

    state = file;
    state.id[0] = 5;
    CHECK_THROWS_WITH(settle_file_state(state), Contains("id 5"));
    state = file;
    state.position[1].y = std::nan("");
    CHECK_THROWS_WITH(settle_file_state(state), Contains("particle 2"));
    state = file;
    state.velocity[1].y = 1e200;  // its square is not finite
    CHECK_THROWS_WITH(settle_file_state(state), Contains("particle 2"));
    state = file;
    state.position[1].y = 1e300;
    CHECK_THROWS_WITH(settle_file_state(state), Contains("boxes away"));
    state = file;
    state.box.edges.y = 0.0;
    CHECK_THROWS_WITH(settle_file_state(state), Contains("along y"));
    state = State{};
    CHECK_THROWS_WITH(settle_file_state(state), Contains("no particles"));
}
