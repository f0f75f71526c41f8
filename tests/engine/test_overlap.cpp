/// Overlaps before the first step: every pair by its own core, wherever particles are, and for work
/// that grows with their number.

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/start/start_check.hpp"
#include "engine/state/overlap.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "kernels/arithmetic/random.hpp"
#include "kernels/neighbor/cells.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

constexpr double core_of_sigma = 0.2;  // Lennard-Jones

using Pairs = std::vector<ResolvedPair>;

/// One species whose core is `distance`.
Pairs alike(double distance)
{
    return {{1.0, distance / core_of_sigma, 2.5}};
}

/// The oracle: every pair.
std::optional<Overlap> worst_by_brute_force(State const& state, Pairs const& pairs)
{
    auto const species_count = state.species_names.size();
    std::optional<Overlap> worst;
    double part = 1.0;
    for (std::size_t i = 0; i < state.position.size(); ++i)
    {
        for (std::size_t j = 0; j < i; ++j)
        {
            ResolvedPair const& pair =
                pairs[static_cast<std::size_t>(state.species[i]) * species_count +
                      static_cast<std::size_t>(state.species[j])];
            double const core = pair.epsilon > 0.0 ? core_of_sigma * pair.sigma : 0.0;
            Vec3<double> const d = minimum_image(state.position[i] - state.position[j], state.box);
            double const distance = std::sqrt(dot(d, d));
            if (distance < part * core)
            {
                part = distance / core;
                worst = Overlap{static_cast<std::int64_t>(j), static_cast<std::int64_t>(i),
                                distance, core};
            }
        }
    }
    return worst;
}

State random_state(Box const& box, std::size_t count, std::uint64_t seed, int species_count = 1)
{
    State state;
    state.box = box;
    for (std::size_t i = 0; i < count; ++i)
    {
        Vec3<double> place = random_uniforms({seed, 0, i, RandomPurpose::placement});
        for (int axis = 0; axis < 3; ++axis)
        {
            // Open axes reach beyond their nominal edge.
            place[axis] = box.periodic(axis) ? place[axis] * box.edges[axis]
                                             : (3.0 * place[axis] - 1.0) * box.edges[axis];
        }
        state.id.push_back(static_cast<std::int64_t>(10 * i + 3));
        state.position.push_back(place);
        state.species.push_back(static_cast<std::int32_t>(i) % species_count);
    }
    for (int species = 0; species < species_count; ++species)
    {
        state.species_names.push_back(std::string(1, static_cast<char>('A' + species)));
        state.species_mass.push_back(1.0);
    }
    return state;
}

void check_against_brute_force(State const& state, Pairs const& pairs)
{
    auto const found = find_overlaps(state, pairs).worst;
    auto const expected = worst_by_brute_force(state, pairs);
    REQUIRE(found.has_value() == expected.has_value());
    if (found)
    {
        CHECK(found->first == expected->first);
        CHECK(found->second == expected->second);
        CHECK(found->distance == Approx(expected->distance).epsilon(1e-12));
        CHECK(found->core == expected->core);
    }
}

Config two_species(double small, double large)
{
    Config config = lennard_jones_config();
    config.system.species = {{"A", 1.0, std::nullopt}, {"B", 1.0, std::nullopt}};
    config.potential.pairs = {{"A", "A", 1.0, small, 2.5 * small},
                              {"A", "B", 1.0, 0.5 * (small + large), 2.5 * large},
                              {"B", "B", 1.0, large, 2.5 * large}};
    return config;
}

}  // namespace

TEST_CASE("the worst overlap is that of all pairs, in every shape of box")
{
    Boundary const p = Boundary::periodic, o = Boundary::open;
    Box const box =
        GENERATE_COPY(Box{{10.0, 10.0, 10.0}, {p, p, p}}, Box{{1.0, 2.0, 3.0}, {p, p, p}},
                      Box{{1.0, 1.0, 100.0}, {p, p, p}}, Box{{2.1, 50.0, 0.3}, {p, p, p}},
                      Box{{10.0, 10.0, 10.0}, {o, p, o}}, Box{{5.0, 5.0, 5.0}, {o, o, o}});
    for (double const distance : {0.01, 0.3, 1.0, 4.0, 1000.0})
    {
        for (std::size_t const count : {1, 2, 3, 40, 300})
        {
            check_against_brute_force(random_state(box, count, 7 * count + 1), alike(distance));
        }
    }
}

TEST_CASE("every pair has its own core, whatever the sizes of the others")
{
    // Sizes far apart, near each other, and species that repel others alone, or nothing.
    Pairs const far = {{1, 0.01, 1}, {1, 2.0, 1}, {1, 5.0, 1},  //
                       {1, 2.0, 1},  {1, 4.0, 1}, {1, 9.0, 1},  //
                       {1, 5.0, 1},  {1, 9.0, 1}, {1, 10.0, 1}};
    Pairs const near = {{1, 1.0, 1}, {1, 1.5, 1}, {1, 0.9, 1},  //
                        {1, 1.5, 1}, {1, 1.2, 1}, {1, 1.1, 1},  //
                        {1, 0.9, 1}, {1, 1.1, 1}, {1, 1.9, 1}};
    Pairs const tracer = {{0, 1.0, 1}, {1, 3.0, 1}, {0, 1.0, 1},  //
                          {1, 3.0, 1}, {1, 1.0, 1}, {0, 5.0, 1},  //
                          {0, 1.0, 1}, {0, 5.0, 1}, {0, 9.0, 1}};
    for (Pairs const& pairs : {far, near, tracer})
    {
        for (Boundary const boundary : {Boundary::periodic, Boundary::open})
        {
            for (double const edge : {3.0, 12.0, 60.0, 400.0})
            {
                for (std::uint64_t seed = 0; seed < 6; ++seed)
                {
                    check_against_brute_force(random_state(cube(edge, boundary), 200, seed, 3),
                                              pairs);
                }
            }
        }
    }
}

TEST_CASE("particles at one place are found, across faces too")
{
    State state = random_state({{10.0, 10.0, 10.0}, {}}, 2, 1);
    state.position = {{1.0, 1.0, 0.0}, {1.0, 1.0, std::nextafter(10.0, 0.0)}};
    REQUIRE(find_overlaps(state, alike(1e-3)).worst);
    CHECK(find_overlaps(state, alike(1e-3)).worst->distance < 1e-14);
    state.position[1] = state.position[0];
    CHECK(find_overlaps(state, alike(1e-100)).worst->distance == 0.0);
    State empty;
    empty.species_names = {"A"};
    CHECK_FALSE(find_overlaps(empty, alike(1.0)).worst);
    CHECK_FALSE(find_overlaps(state, {{0.0, 1.0, 2.5}}).worst);
}

TEST_CASE("the work of a search grows with the particles, not with their square or the volume")
{
    constexpr std::size_t count = 20000;
    auto const tests_a_particle = [](State const& state) {
        return static_cast<double>(find_overlaps(state, alike(0.2)).tests) / count;
    };
    State state = random_state(cube(30.0, Boundary::open), count, 1);
    SECTION("in one place")
    {
        std::fill(state.position.begin(), state.position.end(), Vec3<double>{1.0, 2.0, 3.0});
        CHECK(tests_a_particle(state) <= 1.0);
    }
    SECTION("in one small place, with or without others far away")
    {
        double const far = GENERATE(0.0, 1e3, 1e9);
        for (Vec3<double>& position : state.position)
        {
            position = 1e-4 * position;
        }
        state.position.back() = {far, far, far};
        CHECK(find_overlaps(state, alike(0.2)).worst);
        CHECK(tests_a_particle(state) <= 100.0);
    }
    SECTION("in a crystal, with another far away")
    {
        double const far = GENERATE(0.0, 1e3, 1e6, 1e9);
        for (std::size_t i = 0; i < count; ++i)
        {
            state.position[i] = {static_cast<double>(i % 27), static_cast<double>(i / 27 % 27),
                                 static_cast<double>(i / 729)};
        }
        state.position.back() = {-far - 1.0, far, far};
        CHECK_FALSE(find_overlaps(state, alike(0.2)).worst);
        CHECK(tests_a_particle(state) <= 100.0);
    }
    SECTION("few large among many small")
    {
        State mixed = random_state(cube(30.0), count, 2, 2);
        for (std::size_t i = 0; i < count; ++i)
        {
            mixed.species[i] = i % 1000 == 0 ? 1 : 0;
            // Small ones far from the cores of large ones; one layer of these.
            mixed.position[i] = {(static_cast<double>(i % 50) + 0.5) * 0.6,
                                 (static_cast<double>(i / 50 % 50) + 0.5) * 0.6,
                                 10.0 + static_cast<double>(i / 2500)};
            if (mixed.species[i] == 1)
            {
                mixed.position[i] = {static_cast<double>(i / 1000 % 5) * 6.0,
                                     static_cast<double>(i / 5000) * 7.0, 3.0};
            }
        }
        Pairs const pairs = {{1, 0.1, 1}, {1, 15.0, 1}, {1, 15.0, 1}, {1, 29.0, 1}};
        OverlapSearch const search = find_overlaps(mixed, pairs);
        CHECK_FALSE(search.worst);
        CHECK(static_cast<double>(search.tests) / count <= 100.0);
    }
}

TEST_CASE("a start is refused by the sigma of the pair that overlaps, which is named")
{
    Config const config = two_species(0.3, 3.0);
    State state =
        state_at(config, cube(40.0), {{5.0, 5.0, 5.0}, {20.0, 5.0, 5.0}, {5.3, 5.0, 5.0}});
    state.species = {1, 0, 1};
    std::string const message = message_of<ConfigError>([&] { refuse_unfit_start(config, state); });
    CHECK(mentions(message, "particles 1 (B) and 3 (B) are 0.3 apart"));
    CHECK(mentions(message, "needs 0.6 or more"));
    // Small ones may be that close, and large ones at their own distance.
    state.species = {0, 1, 0};
    CHECK_NOTHROW(refuse_unfit_start(config, state));
    state.species = {1, 0, 1};
    state.position[2].x = 5.601;
    CHECK_NOTHROW(refuse_unfit_start(config, state));
}

TEST_CASE("a start is refused where coordinates are too coarse for forces")
{
    Config const config = lennard_jones_config();
    double const farthest = farthest_held(2.5 + config.neighbor.skin);
    State state = state_at(config, cube(20.0, Boundary::open), {{1, 1, 1}, {1e9, -1e9, 3}});
    CHECK_NOTHROW(refuse_unfit_start(config, state));
    for (double const far : {1.001 * farthest, -1e300, HUGE_VAL, std::nan("")})
    {
        state.position[1] = {1.0, far, 3.0};
        std::string const message =
            message_of<ConfigError>([&] { refuse_unfit_start(config, state); });
        CHECK(mentions(message, "particle 2 (A) is at (1, "));
    }
    state = state_at(config, {{20.0, 1.001 * farthest, 20.0}, {}}, {{1, 1, 1}});
    std::string const message = message_of<ConfigError>([&] { refuse_unfit_start(config, state); });
    CHECK(mentions(message, "along y"));
}
