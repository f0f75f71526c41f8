#include <cmath>
#include <fstream>
#include <limits>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/trajectory.hpp"
#include "io/text/lammps_data.hpp"
#include "io/text/lammps_dump.hpp"
#include "io/text/xyz.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/start_from.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

SystemConfig two_species()
{
    SystemConfig system;
    system.species = {{"A", 1.0, {}}, {"B", 39.948, {}}};
    return system;
}

State start_as(std::filesystem::path const& path, SystemConfig system = two_species(),
               std::optional<std::int64_t> frame = {})
{
    return start_from(path, system, frame);
}

/// A state with awkward numbers: faces, tiny and huge values, images of both signs.
State awkward_state()
{
    State state = known_state(4, 6);
    state.step = 0;
    state.time = 0.0;
    state.position[0] = {0.0, std::nextafter(9.0, 0.0), 1.0 / 3.0};
    state.position[1].x = std::numeric_limits<double>::denorm_min();
    state.image[0] = {-3, 2147480000, 7};
    state.velocity[2] = {1e-310, -1e150, 0.1};
    state.force.assign(state.position.size(), {});
    return state;
}

void check_same(State const& found, State const& expected)
{
    CHECK(found.box == expected.box);
    CHECK(found.id == expected.id);
    CHECK(found.species == expected.species);
    CHECK(found.position == expected.position);
    CHECK(found.image == expected.image);
    CHECK(found.velocity == expected.velocity);
    CHECK(found.force == expected.force);
    CHECK(found.species_names == expected.species_names);
    CHECK(found.species_mass == expected.species_mass);
    CHECK(found.step == 0);
}

void write_text(std::filesystem::path const& path, std::string const& text)
{
    std::ofstream(path) << text;
}

std::string complaint(std::filesystem::path const& path, std::string const& text)
{
    write_text(path, text);
    return message_of<std::runtime_error>([&] { start_as(path); });
}

}  // namespace

TEST_CASE("every format that starts a run gives its state back to the bit")
{
    TemporaryDirectory const directory;
    State const state = awkward_state();
    std::filesystem::path path;
    SECTION("extended XYZ")
    {
        path = directory / "s.xyz";
        TextOutput out(path, TextOutput::Mode::create);
        write_xyz(out, known_state(0, 3));
        write_xyz(out, state);
    }
    SECTION("LAMMPS data")
    {
        path = directory / "s.data";
        TextOutput out(path, TextOutput::Mode::create);
        write_lammps_data(out, state);
    }
    SECTION("H5MD")
    {
        path = directory / "s.h5";
        TrajectoryConfig config;
        config.dtype = TrajectoryType::float64;
        config.fields = {Field::position, Field::image, Field::velocity};
        TrajectoryWriter writer(path, config, known_run_info(), state, false);
        writer.write({state, known_observables(0)});
    }
    SECTION("checkpoint")
    {
        path = directory / "s.ckpt.h5";
        write_checkpoint(path, {state, {}}, known_run_info());
    }
    check_same(start_as(path), state);
}

TEST_CASE("a float32 trajectory starts a run from any frame, with velocities only if it has some")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5md";
    {
        TrajectoryConfig const config;
        TrajectoryWriter writer(path, config, known_run_info(), known_state(0, 60), false);
        for (std::int64_t frame = 0; frame < 3; ++frame)
        {
            State const state = known_state(frame, 60);
            Observables const observables = known_observables(frame);
            writer.write({state, observables});
        }
    }
    State const first = start_as(path, two_species(), 0);
    State const last = start_as(path);
    CHECK(first.image == known_state(0, 60).image);
    for (std::size_t particle = 0; particle < 60; ++particle)
    {
        // one rounding to float32 below 8: 2^-24 * 8
        CHECK(std::abs(last.position[particle].x - known_state(2, 60).position[particle].x) < 5e-7);
    }
    CHECK(last.velocity.empty());
    CHECK(last.species == known_state(2, 60).species);
    CHECK(mentions(message_of<IoError>([&] { start_as(path, two_species(), 3); }), "no frame 3"));
}

TEST_CASE("ids are sorted, positions wrapped, the box moved to the origin, species found by name")
{
    TemporaryDirectory const directory;
    auto const path = directory / "s.xyz";
    write_text(path,
               "3\n"
               "Lattice=\"4 0 0 0 5 0 0 0 6\" Origin=\"-1 -1 -1\" "
               "Properties=id:I:1:species:S:1:pos:R:3:extra:R:2 pbc=\"T T F\" note\r\n"
               "30 B 3.0 -1 7.5 0 0\r\n"
               "10\tA  -1e3 2.5 -0.5 nan x\r\n"
               "20 B 1 1 +1 0 0\r\n");
    SystemConfig system = two_species();
    system.boundary.z = Boundary::open;
    State const state = start_as(path, system);
    CHECK(state.id == std::vector<std::int64_t>{10, 20, 30});
    CHECK(state.species == std::vector<std::int32_t>{0, 1, 1});
    CHECK(state.position[2] == Vec3<double>{0.0, 0.0, 8.5});  // z is open
    CHECK(state.image[2] == Vec3<std::int32_t>{1, 0, 0});
    CHECK(state.position[0] == Vec3<double>{1.0, 3.5, 0.5});
    CHECK(state.image[0] == Vec3<std::int32_t>{-250, 0, 0});
    CHECK(state.box.edges == Vec3<double>{4.0, 5.0, 6.0});
    CHECK(state.box.boundary == system.boundary);
    system.species.pop_back();
    CHECK(mentions(message_of<ConfigError>([&] { start_as(path, system); }), "'B'"));
}

TEST_CASE("a LAMMPS data file may be shifted, unordered, without masses, images or velocities")
{
    TemporaryDirectory const directory;
    auto const path = directory / "s.data";
    write_text(path,
               "title\n\n2 atoms\n2 atom types\n0 bonds\n-2.5 2.5 xlo xhi # box\n0 4 ylo yhi\n"
               "1 7 zlo zhi\n0 0 0 xy xz yz\n\nAtoms\n\n9 2 2.5 4 1\n4 1 -2.5 -0.5 3\n");
    State const state = start_as(path);
    CHECK(state.id == std::vector<std::int64_t>{4, 9});
    CHECK(state.species == std::vector<std::int32_t>{0, 1});
    CHECK(state.position[0] == Vec3<double>{0.0, 3.5, 2.0});
    CHECK(state.position[1] == Vec3<double>{0.0, 0.0, 0.0});
    CHECK(state.image[1] == Vec3<std::int32_t>{1, 1, 0});
    CHECK(state.velocity.empty());
    SystemConfig system = two_species();
    system.species.pop_back();
    CHECK(mentions(message_of<ConfigError>([&] { start_as(path, system); }), "2 in all"));
}

TEST_CASE("faults of an XYZ file are named with file and line")
{
    TemporaryDirectory const directory;
    auto const path = directory / "s.xyz";
    std::string const box = "Lattice=\"4 0 0 0 4 0 0 0 4\"";
    auto const expect = [&](std::string const& text, std::string const& line,
                            std::string const& word) {
        std::string const message = complaint(path, text);
        INFO(message);
        CHECK(mentions(message, path.string() + ":" + line + ": "));
        CHECK(mentions(message, word));
    };
    expect("1\ncomment\nA 0 0 0\n", "2", "Lattice");
    expect("1\nLattice=\"4 1 0 0 4 0 0 0 4\"\nA 0 0 0\n", "2", "orthogonal");
    expect("1\nLattice=\"4 0 0 0 4 0 0 0\"\nA 0 0 0\n", "2", "9 are expected");
    expect("1\nLattice=\"4 0 0\nA 0 0 0\n", "2", "quote");
    expect("2\n" + box + "\nA 0 0 0\n", "3", "the file ends here");
    expect("1\n" + box + "\nA 0 0\n", "3", "4");
    expect("1\n" + box + "\nA 0 0 1,5\n", "3", "1,5");
    expect("1\n" + box + "\nA 0 0 nan\n", "3", "nan");
    expect("1\n" + box + "\nA 0 0 1e999\n", "3", "1e999");
    expect("1\n" + box + "\nA 0 0 0x10\n", "3", "0x10");
    expect("0\n" + box + "\n", "1", "above 0");
    expect("two\n" + box + "\n", "1", "two");
    expect("1\n" + box + " Properties=species:S:1:pos:R:2\nA 0 0\n", "2", "pos");
    expect("1\n" + box + "\nA 0 0 0\n1\n" + box + "\nA 0 0 x\n", "6", "x");
    CHECK(mentions(complaint(path, "2\n" + box +
                                       " Properties=species:S:1:pos:R:3:id:I:1\n"
                                       "A 0 0 0 7\nA 1 1 1 7\n"),
                   "id 7"));
    CHECK(mentions(complaint(path, "1\n" + box + "\nA 0 0 1e99\n"), "boxes away"));
    CHECK(mentions(complaint(path, ""), "no frame 0"));
}

TEST_CASE("faults of a LAMMPS data file are named with file and line")
{
    TemporaryDirectory const directory;
    auto const path = directory / "s.data";
    std::string const head =
        "t\n1 atoms\n1 atom types\n0 4 xlo xhi\n0 4 ylo yhi\n0 4 zlo zhi\n";  // lines 1 to 6
    auto const expect = [&](std::string const& text, std::string const& line,
                            std::string const& word) {
        std::string const message = complaint(path, text);
        INFO(message);
        CHECK(mentions(message, path.string() + ":" + line + ": "));
        CHECK(mentions(message, word));
    };
    expect(head + "Atoms # sphere\n\n1 1 1 1 0 0 0\n", "7", "atomic");
    expect(head + "Atoms\n\n1 2 0 0 0\n", "9", "type");
    expect(head + "Atoms\n\n1 1 0 0\n", "9", "id type x y z");
    expect(head + "Atoms\n\n1 1 0 0 0 0 0\n", "9", "id type x y z");
    expect(head + "Atoms\n\n", "8", "the file ends here");
    expect(head, "6", "no Atoms");
    expect(head + "Bonds\n\n1 1 1 1\n", "7", "'Bonds'");
    expect(head + "Velocities\n\n1 0 0 0\n", "7", "after Atoms");
    expect(head + "Masses\n\n1 0\n", "9", "above 0");
    expect(head + "Atoms\n\n1 1 0 0 0\nVelocities\n\n2 0 0 0\n", "12", "no atom");
    expect("t\n1 atoms\nAtoms\n\n1 1 0 0 0\n", "3", "header");
    expect("t\n4 0 xlo xhi\n", "2", "upper face");
    expect("t\n1 bonds\n", "2", "header line");
    expect("t\n1 0 0 xy xz yz\n", "2", "orthogonal");
}

TEST_CASE("start files of unknown kind or place are refused")
{
    CHECK(mentions(message_of<ConfigError>([&] { start_as("x.pdb"); }), ".extxyz"));
    CHECK(mentions(message_of<IoError>([&] { start_as("/no/such.xyz"); }), "No such file"));
    CHECK(mentions(message_of<ConfigError>([&] { start_as("x.data", two_species(), 1); }),
                   "one frame"));
}

TEST_CASE("a LAMMPS dump has step, count, bounds and a line a particle")
{
    TemporaryDirectory const directory;
    State state = known_state(2, 2);
    state.box.boundary.y = Boundary::open;
    {
        TextOutput out(directory / "s.lammpstrj", TextOutput::Mode::create);
        write_lammps_dump(out, state);
    }
    std::ifstream file(directory / "s.lammpstrj");
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    CHECK(text ==
          "ITEM: TIMESTEP\n20\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp ff pp\n0 8\n0 9\n0 "
          "10\nITEM: ATOMS id type x y z ix iy iz vx vy vz\n"
          "1 1 0.02 0 5 0 0 0 2 0 -1\n"
          "3 2 0.12000000000000001 0.2 5 0 0 0 2 1 -1\n");
}

TEST_CASE("text output refuses an existing file and reports a full disk")
{
    TemporaryDirectory const directory;
    write_text(directory / "there.txt", "x");
    CHECK(mentions(
        message_of<IoError>([&] { TextOutput(directory / "there.txt", TextOutput::Mode::create); }),
        "File exists"));
    CHECK(mentions(message_of<IoError>([] {
                       TextOutput out("/dev/full", TextOutput::Mode::append);
                       out.print("{}\n", 1.5);
                       out.close();
                   }),
                   "Free some space"));
}
