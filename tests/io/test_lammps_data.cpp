#include "io/text/lammps_data.hpp"

#include <fstream>

#include "engine/config/errors.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

/// The first lines of LAMMPS's write_data, 1 to 11, for `types` types.
std::string head(int types)
{
    return "LAMMPS data file via write_data, version 22 Jul 2025, timestep = 50, units = lj\n\n"
           "2 atoms\n" +
           std::to_string(types) +
           " atom types\n\n-3 6.718384765530029 xlo xhi\n0 6 ylo yhi\n-1 6 zlo zhi\n0 0 0 xy xz "
           "yz\n\n\n";
}

std::string const atoms = "Atoms # atomic\n\n2 1 6.6 5.7 5.5 -1 0 0\n1 2 -2.5 0.9 0.25 0 0 2\n\n";

StartFile read(std::string const& text)
{
    TemporaryDirectory const directory;
    std::ofstream(directory / "s.data") << text;
    return read_lammps_data(directory / "s.data");
}

std::string complaint(std::string const& text)
{
    return message_of<IoError>([&] { read(text); });
}

}  // namespace

TEST_CASE("what write_data writes is read as it comes")
{
    StartFile const file = read(head(2) +
                                "Masses\n\n1 2\n2 39.948\n\n"
                                "Pair Coeffs # lj/cut\n\n1 1 1\n2 0.5 0.88\n\n" +
                                atoms + "Velocities\n\n2 1 0 0\n1 -1 0.5 0\n");
    CHECK(file.naming == SpeciesNaming::numbered);
    CHECK(file.first_number == 1);
    REQUIRE(file.species.size() == 2);
    CHECK(file.species[1].name == "2");
    CHECK(file.species[1].mass->value == 39.948);
    REQUIRE(file.pairs.size() == 2);
    CHECK(file.pairs[1].first == 1);
    CHECK(file.pairs[1].second == 1);
    CHECK(file.pairs[1].epsilon.value == 0.5);
    CHECK(file.pairs[1].sigma.value == 0.88);
    CHECK_FALSE(file.pairs[1].cutoff);
    CHECK_FALSE(file.boundary);
    CHECK(file.notices.empty());
    State const& state = file.state;
    CHECK(state.id == std::vector<std::int64_t>{2, 1});
    CHECK(state.species == std::vector<std::int32_t>{0, 1});
    CHECK(state.position[1] == Vec3<double>{0.5, 0.9, 1.25});
    CHECK(state.image[1] == Vec3<std::int32_t>{0, 0, 2});
    CHECK(state.velocity[1] == Vec3<double>{-1.0, 0.5, 0.0});
    CHECK(state.box.edges == Vec3<double>{6.718384765530029 + 3.0, 6.0, 7.0});
}

TEST_CASE("labels name types, and may stand for them")
{
    StartFile const file =
        read(head(3) +
             "Atom Type Labels\n\n1 Ar\n2 Kr\n3 Xe\n\nMasses\n\nKr 2 # x\nXe 3\n1 1\n\n"
             "PairIJ Coeffs # lj/cut\n\n1 1 1 1 2.5\n1 2 2 1 2.5\n1 3 3 1 2.5\n2 2 4 1 2.5\n"
             "2 3 5 1 2.5\nXe Xe 6 1 3\n\nAtoms # atomic\n\n1 Kr 1 1 1\n2 1 2 2 2\n");
    CHECK(file.naming == SpeciesNaming::stated);
    CHECK(file.species[2].name == "Xe");  // a type without atoms is one all the same
    CHECK(file.species[2].mass->value == 3.0);
    CHECK(file.state.species == std::vector<std::int32_t>{1, 0});
    REQUIRE(file.pairs.size() == 6);
    CHECK(file.pairs[1].second == 1);
    CHECK(file.pairs[5].cutoff->value == 3.0);
    CHECK(file.state.velocity.empty());
}

TEST_CASE("other atom styles are read where their further columns mean nothing")
{
    for (std::string const text : {"charge\n\n1 2 0 1 2 3 0 0 -1\n2 1 0.0 4 5 6 0 0 0\n",
                                   "molecular\n\n1 0 2 1 2 3 0 0 -1\n2 0 1 4 5 6 0 0 0\n",
                                   "full\n\n1 0 2 0 1 2 3 0 0 -1\n2 0 1 0 4 5 6 0 0 0\n"})
    {
        State const state = read(head(2) + "Atoms # " + text).state;
        CHECK(state.species == std::vector<std::int32_t>{1, 0});
        CHECK(state.position[0] == Vec3<double>{4.0, 2.0, 4.0});
        CHECK(state.image[0].z == -1);
    }
}

TEST_CASE("words beside masses are hints, if every type has another")
{
    CHECK(read(head(2) + "Masses\n\n1 1 # Ar\n2 2 # Kr\n\n" + atoms).naming ==
          SpeciesNaming::hinted);
    CHECK(read(head(2) + "Masses\n\n1 1 # Ar\n2 2 # Ar\n\n" + atoms).naming ==
          SpeciesNaming::numbered);
    CHECK(read(head(2) + "Masses\n\n1 1 # Ar\n2 2 # the other\n\n" + atoms).naming ==
          SpeciesNaming::numbered);
    CHECK(read(head(2) + atoms).species[1].name == "2");
}

TEST_CASE("what would be dropped is refused by name")
{
    std::string const full = "Atoms # full\n\n1 1 1 0.5 1 1 1\n2 1 1 0 2 2 2\n";
    CHECK(mentions(complaint(head(1) + full), "molecule numbers"));
    CHECK(mentions(complaint(head(1) + full), "'Atoms # atomic'"));
    CHECK(mentions(complaint(head(1) + "Atoms # full\n\n1 0 1 0.5 1 1 1\n2 0 1 0 2 2 2\n"),
                   "charges"));
    CHECK(mentions(complaint(head(1) + "Atoms # bond\n\n1 0 1 1 1 1\n2 3 1 2 2 2\n"), "molecule"));
    CHECK(mentions(complaint(head(1) + "Atoms # hybrid sphere\n\n"), "hybrid"));
    CHECK(mentions(complaint(head(1) + "Atoms\n\n1 1 0.5 1 1 1\n2 1 0 2 2 2\n"), "charge"));
    for (std::string const section : {"Bonds", "Angle Coeffs", "Ellipsoids", "Bodies"})
    {
        CHECK(mentions(complaint(head(2) + atoms + section + "\n\n1 1 1 2\n"), section));
    }
    CHECK(mentions(complaint("t\n\n1 bonds\n"), "1 bonds"));
    CHECK(mentions(complaint("t\n\n0 0 0.5 xy xz yz\n"), "tilt"));
    CHECK(mentions(complaint(head(2) + "Pair Coeffs # lj/cut/coul/long\n\n1 1 1\n"), "nocoeff"));
    CHECK(mentions(complaint(head(2) + "Pair Coeffs # hybrid\n\n1 lj/cut 1 1\n"), "hybrid"));
    StartFile const real = read("LAMMPS data file via write_data, units = real\n" +
                                head(2).substr(head(2).find('\n')) + atoms);
    REQUIRE(real.notices.size() == 1);
    CHECK(mentions(real.notices.front(), "units = real"));
}

TEST_CASE("sections that say a thing twice, or not for all, are refused")
{
    auto const expect = [](std::string const& sections, std::string const& word) {
        std::string const message = complaint(head(2) + sections);
        INFO(message);
        CHECK(mentions(message, word));
    };
    expect("Masses\n\n1 1\n1 2\n", "come before");
    expect("Masses\n\n1 1\n2 2\nMasses\n\n1 1\n2 2\n", "come before");
    expect("Atom Type Labels\n\n1 A\n1 B\n", "before");
    expect("Atom Type Labels\n\n1 A\n2 A\n", "two types");
    expect("Pair Coeffs\n\n1 1 1\n1 1 1\n", "come before");
    expect("Pair Coeffs\n\n1 1 1\n2 1 1\nPairIJ Coeffs\n\n1 1 1 1\n", "come before");
    expect("Pair Coeffs\n\n1 -1 1\n2 1 1\n", "0 or above");
    expect("Pair Coeffs\n\n1 1 0\n2 1 1\n", "above 0");
    expect("Atoms\n\n7 1 1 1 1\n7 2 2 2 2\n", "id 7");
    expect(atoms + "Velocities\n\n1 0 0 0\n1 0 0 0\n", "velocity of atom 1");
    expect(atoms + "Velocities\n\n1 0 0 0\n", "the file ends here");
    expect(atoms + "Velocities\n\n1 0 0 0\n3 0 0 0\n", "no atom");
}

TEST_CASE("the boundary is in the title of files written here")
{
    auto const titled = [](std::string const& title) {
        return title + head(2).substr(head(2).find('\n')) + atoms;
    };
    StartFile const file =
        read(titled("LAMMPS data file by tessera, units lj, boundary p f p, step 3"));
    REQUIRE(file.boundary);
    CHECK(*file.boundary == Vec3<Boundary>{Boundary::periodic, Boundary::open, Boundary::periodic});
    CHECK(mentions(complaint(titled("LAMMPS data file by tessera, units lj, boundary p f")),
                   "boundary"));
}
