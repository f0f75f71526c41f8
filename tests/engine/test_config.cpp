#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/check.hpp"
#include "engine/config/config.hpp"
#include "engine/start/initial.hpp"
#include "tests/support/support.hpp"

using namespace tessera;
using Catch::Matchers::Contains;

namespace
{

Config right_config()
{
    Config config;
    config.system.start = LatticeConfig{LatticeType::fcc, {4, 4, 4}, 0.8442};
    config.system.temperature = 1.0;
    config.run.steps = 10;
    return config;
}

Config binary_config(Mixing mixing)
{
    Config config = right_config();
    config.system.species = {{"A", 1.0, std::nullopt}, {"B", 2.0, std::nullopt}};
    config.potential.mixing = mixing;
    config.potential.pairs = {{"A", "A", 1.0, 1.0, std::nullopt},
                              {"B", "B", 0.5, 0.88, std::nullopt}};
    return config;
}

/// The messages about `key`, joined; "" if there are none.
std::string about(std::vector<Problem> const& problems, std::string const& key)
{
    std::string messages;
    for (Problem const& problem : problems)
    {
        messages += problem.key == key ? problem.message + "\n" : "";
    }
    return messages;
}

}  // namespace

TEST_CASE("a right config has no problems")
{
    CHECK(check(right_config()).empty());
    CHECK(check_box(right_config(), initial_box(right_config())).empty());
    CHECK(check(binary_config(Mixing::geometric)).empty());
}

TEST_CASE("every range is checked, and all problems come at once")
{
    double const nan = std::numeric_limits<double>::quiet_NaN();
    double const infinity = std::numeric_limits<double>::infinity();
    Config c = right_config();
    c.system.start = LatticeConfig{LatticeType::fcc, {4, 0, -1}, nan};
    c.system.temperature = -1.0;
    c.system.species[0].mass = 0.0;
    c.potential.cutoff = infinity;
    c.potential.pairs[0].sigma = 0.0;
    c.potential.pairs[0].epsilon = -1.0;
    c.potential.pairs[0].cutoff = 0.0;
    c.neighbor.skin = -0.1;
    c.reorder.streams = 17;
    c.force.lanes = 32;
    c.reorder.chunk_particles = 48;
    c.run.dt = 0.0;
    c.run.steps = -1;
    c.run.walltime = 0.0;
    c.output.trajectory = TrajectoryConfig{"a.h5", 0, {Field::image, Field::image}};
    c.output.thermo = ThermoConfig{"b.csv", -5};
    c.output.checkpoint = CheckpointConfig{"c.h5", 0, -1.0};
    c.output.rdf = RdfConfig{"d.csv", 0, 100001, -1};
    std::vector<Problem> const problems = check(c);
    for (char const* key : {"system.lattice.cells.1",
                            "system.lattice.cells.2",
                            "system.lattice.density",
                            "system.temperature",
                            "system.species.0.mass",
                            "potential.cutoff",
                            "potential.pairs.0.sigma",
                            "potential.pairs.0.epsilon",
                            "potential.pairs.0.cutoff",
                            "neighbor.skin",
                            "force.lanes",
                            "reorder.streams",
                            "reorder.chunk_particles",
                            "run.dt",
                            "run.steps",
                            "run.walltime",
                            "output.trajectory.every",
                            "output.trajectory.fields",
                            "output.thermo.every",
                            "output.checkpoint.every",
                            "output.checkpoint.wall_every",
                            "output.rdf.every",
                            "output.rdf.bins",
                            "output.rdf.start"})
    {
        INFO(key);
        CHECK_FALSE(about(problems, key).empty());
    }
    // trajectory.fields has two.
    CHECK(problems.size() == 25);
}

TEST_CASE("the temperature may be absent only where a file has velocities")
{
    Config c = right_config();
    c.system.temperature.reset();
    CHECK_THAT(about(check(c), "system.temperature"), Contains("is missing"));
    c.system.start = FileConfig{"a.h5", std::nullopt};
    CHECK(check(c).empty());
    c.system.temperature = 0.0;
    CHECK(check(c).empty());
}

TEST_CASE("a system of more than 2^31 - 1 particles is refused, however it is asked for")
{
    Config c = right_config();
    c.system.start = LatticeConfig{LatticeType::sc, {2147483647, 1, 1}, 1.0};
    CHECK(check(c).empty());
    std::int64_t const most = std::numeric_limits<std::int64_t>::max();
    for (Vec3<std::int64_t> const cells :
         {Vec3<std::int64_t>{65536, 32768, 1}, Vec3<std::int64_t>{most, most, most},
          Vec3<std::int64_t>{most, 1, 1}, Vec3<std::int64_t>{1 << 22, 1 << 21, 1 << 21}})
    {
        c.system.start = LatticeConfig{LatticeType::sc, cells, 1.0};
        CHECK_THAT(about(check(c), "system.lattice.cells"), Contains("2147483647"));
    }
    c.system.start = RandomConfig{2147483648, 0.1, 0.5};
    CHECK_THAT(about(check(c), "system.random.count"), Contains("2147483647"));
}

TEST_CASE("a random start too dense for its distance is refused before anything is placed")
{
    Config c = right_config();
    c.system.start = RandomConfig{4000, 1.2, 0.9};
    // 0.6 / 0.9^3 and (0.6 / 1.2)^(1/3).
    CHECK_THAT(about(check(c), "system.random.min_distance"),
               Contains("0.823") && Contains("0.7937"));
    c.system.start = RandomConfig{4000, 0.8, 0.9};
    CHECK(check(c).empty());
}

TEST_CASE("species: names and fractions")
{
    Config c = binary_config(Mixing::geometric);
    c.system.species[1].fraction = 0.5;
    CHECK_THAT(about(check(c), "system.species"), Contains("1 of 2"));
    c.system.species[0].fraction = 0.5 + 1e-8;
    CHECK_THAT(about(check(c), "system.species"), Contains("add up to"));
    c.system.species[0].fraction = 0.5 + 1e-10;
    CHECK(check(c).empty());
    c.system.species[0].fraction = 1.5;
    c.system.species[1].fraction = -0.5;
    CHECK_FALSE(about(check(c), "system.species.0.fraction").empty());
    CHECK_FALSE(about(check(c), "system.species.1.fraction").empty());
    c = binary_config(Mixing::geometric);
    c.system.species[0].fraction = c.system.species[1].fraction = 0.5;
    c.system.start = FileConfig{"a.h5", std::nullopt};
    CHECK_THAT(about(check(c), "system.species"), Contains("system.file"));

    c = binary_config(Mixing::geometric);
    c.system.species[1].name = std::string("A");
    CHECK_THAT(about(check(c), "system.species.1.name"), Contains("species 0"));
    c.system.species[1].name = std::string("B 2");
    CHECK_THAT(about(check(c), "system.species.1.name"), Contains("blanks"));
    c.system.species.clear();
    CHECK_FALSE(about(check(c), "system.species").empty());
    c.system.species.assign(257, {"A", 1.0, std::nullopt});
    CHECK_THAT(about(check(c), "system.species"), Contains("256"));
}

TEST_CASE("pairs: unknown, doubled and missing ones are named")
{
    Config c = binary_config(Mixing::none);
    CHECK_THAT(about(check(c), "potential.pairs"), Contains("A-B is missing"));
    CHECK_THROWS_WITH(resolve_pairs(c), Contains("A-B is missing"));
    c.potential.pairs.push_back({"A", "B", 1.0, 1.0, std::nullopt});
    CHECK(check(c).empty());
    c.potential.pairs.push_back({"B", "A", 1.0, 1.0, std::nullopt});
    CHECK_THAT(about(check(c), "potential.pairs.3.species"), Contains("as element 2"));
    c.potential.pairs[3] = {"B", "C", 1.0, 1.0, std::nullopt};
    CHECK_THAT(about(check(c), "potential.pairs.3.species"), Contains("'C'") && Contains("A, B"));
    c = binary_config(Mixing::geometric);
    c.potential.pairs.pop_back();
    CHECK_THAT(about(check(c), "potential.pairs"), Contains("B-B is missing"));
}

TEST_CASE("the switch begins inside the smallest cutoff, and only when there is one")
{
    Config c = right_config();
    c.potential.switch_on = 2.0;
    CHECK_THAT(about(check(c), "potential.switch_on"), Contains("ignore"));
    c.potential.truncation = Truncation::switched;
    CHECK(check(c).empty());
    c.potential.pairs[0].cutoff = 2.0;
    CHECK_THAT(about(check(c), "potential.switch_on"), Contains("smallest cutoff, 2;"));
    // The potential's own cutoff counts for the pairs that have none.
    c.potential.pairs[0].cutoff = 4.0;
    c.potential.switch_on = 3.0;
    CHECK(check(c).empty());
    c.potential.pairs[0].cutoff.reset();
    CHECK_THAT(about(check(c), "potential.switch_on"), Contains("smallest cutoff, 2.5;"));
    c.potential.switch_on = 0.0;
    CHECK_THAT(about(check(c), "potential.switch_on"), Contains("missing"));
    c.potential.switch_on = -1.0;
    CHECK_FALSE(about(check(c), "potential.switch_on").empty());
}

TEST_CASE("rules across sections")
{
    Config c = right_config();
    c.neighbor = {Rebuild::on_displacement, 0.0};
    CHECK_THAT(about(check(c), "neighbor.skin"), Contains("on_displacement"));
    c.neighbor.rebuild = Rebuild::every_step;
    CHECK(check(c).empty());

    c.potential.tail_correction = true;
    CHECK(check(c).empty());
    c.system.boundary.z = Boundary::open;
    CHECK_THAT(about(check(c), "potential.tail_correction"), Contains("open axis"));

    c = right_config();
    c.system.species.clear();
    c.potential.pairs.clear();
    c.potential.mixing = Mixing::geometric;
    for (int index = 0; index < 17; ++index)
    {
        std::string const name(1, static_cast<char>('A' + index));
        c.system.species.push_back({name, 1.0, std::nullopt});
        c.potential.pairs.push_back({name, name, 1.0, 1.0, std::nullopt});
    }
    CHECK_THAT(about(check(c), "reorder.format"), Contains("use format: float"));
    c.force.precision = Precision::double_;
    CHECK(check(c).empty());
    c.force = {ForcePath::gather, Precision::mixed};
    CHECK(check(c).empty());
    c.force.path = ForcePath::automatic;
    CHECK_FALSE(check(c).empty());
    c.reorder.format = ChunkFormat::plain;
    CHECK(check(c).empty());
}

TEST_CASE("no two outputs share a file, and none is the start")
{
    Config c = right_config();
    c.output.trajectory = TrajectoryConfig{"out/a.h5", 1};
    c.output.checkpoint = CheckpointConfig{"out/./b/../a.h5", 1, std::nullopt};
    CHECK_THAT(about(check(c), "output.checkpoint.file"), Contains("output.trajectory.file"));
    c.output.checkpoint->file = "a.h5";
    CHECK(check(c).empty());
    c.system.start = FileConfig{"a.h5", std::nullopt};
    CHECK_THAT(about(check(c), "output.checkpoint.file"), Contains("system.file"));
    c.output.thermo = ThermoConfig{"", 1};
    c.output.rdf = RdfConfig{"out/a.h5"};
    CHECK_FALSE(about(check(c), "output.rdf.file").empty());
    CHECK(about(check(c), "output.thermo.file").empty());
}

TEST_CASE("a periodic edge below twice the largest cutoff is refused by axis and length")
{
    Config c = binary_config(Mixing::geometric);
    c.potential.pairs[1].cutoff = 3.0;
    c.neighbor.skin = 5.0;
    Box box{{6.0, 5.9, 100.0}, {}};
    std::vector<Problem> const problems = check_box(c, box);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].key == "system.lattice");
    CHECK_THAT(problems[0].message,
               Contains("5.9 along y") && Contains("cutoff 3 needs at least 6"));
    box.boundary.y = Boundary::open;
    CHECK(check_box(c, box).empty());
    box.edges.y = 0.0;
    CHECK(check_box(c, box).size() == 1);
}

TEST_CASE("mixing rules give the published numbers")
{
    // sigma 1 and 0.88, epsilon 1 and 0.5, computed independently to 8 digits.
    struct Case
    {
        Mixing mixing;
        double sigma, epsilon;
    };
    Case const one = GENERATE(Case{Mixing::lorentz_berthelot, 0.94, 0.70710678},
                              Case{Mixing::geometric, 0.93808315, 0.70710678},
                              Case{Mixing::waldman_hagler, 0.94937653, 0.65811544});
    Config c = binary_config(one.mixing);
    c.potential.pairs[1].cutoff = 3.0;
    std::vector<ResolvedPair> const pairs = resolve_pairs(c);
    REQUIRE(pairs.size() == 4);
    CHECK(std::abs(pairs[1].sigma - one.sigma) <= 0.5e-8);
    CHECK(std::abs(pairs[1].epsilon - one.epsilon) <= 0.5e-8);
    CHECK(pairs[1].sigma == pairs[2].sigma);
    CHECK(pairs[1].epsilon == pairs[2].epsilon);
    // A mixed pair has the potential's cutoff, whatever its parents have.
    CHECK(pairs[1].cutoff == 2.5);
    CHECK(pairs[3].cutoff == 3.0);
    CHECK(max_cutoff(c) == 3.0);
    CHECK(min_cutoff(c) == 2.5);

    c.potential.pairs.push_back({"B", "A", 1.5, 0.8, 2.0});
    std::vector<ResolvedPair> const given = resolve_pairs(c);
    CHECK(given[1].sigma == 0.8);
    CHECK(given[2].epsilon == 1.5);
    CHECK(given[2].cutoff == 2.0);
}
