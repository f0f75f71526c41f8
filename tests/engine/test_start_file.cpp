#include "engine/start/start_file.hpp"

#include <algorithm>
#include <fstream>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/trajectory.hpp"
#include "io/text/lammps_data.hpp"
#include "io/text/xyz.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/start_from.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

constexpr Vec3<Boundary> open_z{Boundary::periodic, Boundary::periodic, Boundary::open};

/// Masses 1 and 39.948, open along z.
State slab_state()
{
    State state = known_state(0, 6);
    state.box.boundary = open_z;
    return state;
}

/// The state in every format that starts a run.
std::vector<std::filesystem::path> write_everywhere(TemporaryDirectory const& directory,
                                                    State const& state)
{
    TextOutput xyz(directory / "s.xyz", TextOutput::Mode::create);
    write_xyz(xyz, state);
    xyz.close();
    TextOutput data(directory / "s.data", TextOutput::Mode::create);
    write_lammps_data(data, state);
    data.close();
    TrajectoryConfig config;
    TrajectoryWriter writer(directory / "s.h5", config, known_run_info(), state, false);
    writer.write(
        {state, known_observables(0, has_volume(state.box) ? Volume::present : Volume::absent)});
    writer.close();
    write_checkpoint(directory / "s.ckpt.h5", {state, {}}, known_run_info());
    return {directory / "s.xyz", directory / "s.data", directory / "s.h5", directory / "s.ckpt.h5"};
}

SystemConfig two_species(double second_mass = 39.948)
{
    SystemConfig system;
    system.species = {{"A", 1.0, {}}, {"B", second_mass, {}}};
    system.boundary = open_z;
    return system;
}

std::string complaint(std::filesystem::path const& path, SystemConfig system)
{
    return message_of<ConfigError>([&] { start_from(path, system); });
}

/// A file of two species that are numbers, 1 and 2, and the input's names for them.
StartFile numbered_file(std::vector<std::int64_t> const& numbers)
{
    StartFile file;
    file.path = "f.h5";
    file.naming = SpeciesNaming::numbered;
    for (std::int64_t const number : numbers)
    {
        file.species.push_back({std::to_string(number), number});
        file.state.species.push_back(static_cast<std::int32_t>(file.species.size()) - 1);
    }
    return file;
}

/// The species that the file's get among `names`; empty with `message` where they cannot.
std::vector<std::int32_t> match(StartFile file, std::vector<std::string> const& names,
                                std::string* message = nullptr)
{
    Config config;
    config.system.temperature = 0.0;
    config.system.species.clear();
    for (std::string const& name : names)
    {
        config.system.species.push_back({name, 1.0, {}});
    }
    InputStatements said;
    said.species = true;
    auto const problems = take_start_file(config, said, file);
    if (!problems.empty())
    {
        if (message != nullptr)
        {
            *message = problems.front().message;
        }
        return {};
    }
    return file.state.species;
}

FilePair file_pair(std::size_t first, std::size_t second, double epsilon, double sigma,
                   std::optional<StatedNumber> cutoff = {})
{
    return {first, second, {epsilon, 1e-6}, {sigma, 1e-6}, cutoff};
}

StartFile file_of_pairs(std::vector<FilePair> pairs)
{
    StartFile file;
    file.path = "f.data";
    file.species = {{"A"}, {"B"}};
    file.pairs = std::move(pairs);
    return file;
}

}  // namespace

TEST_CASE("what a start file says and the input does not is taken, from every format")
{
    TemporaryDirectory const directory;
    for (auto const& path : write_everywhere(directory, slab_state()))
    {
        INFO(path.string());
        SystemConfig system;
        State const state = start_from(path, system, {}, InputSays::nothing);
        CHECK(system.boundary == open_z);
        REQUIRE(system.species.size() == 2);
        CHECK(system.species[0].name == "A");
        CHECK(system.species[1].name == "B");
        CHECK(system.species[0].mass == 1.0);
        CHECK(system.species[1].mass == 39.948);
        CHECK(state.box == slab_state().box);
        CHECK(state.species_mass == slab_state().species_mass);
        CHECK(state.species_names == slab_state().species_names);
        CHECK(state.species == slab_state().species);
    }
}

TEST_CASE("an input that says what the file says is right, in the input's order")
{
    TemporaryDirectory const directory;
    for (auto const& path : write_everywhere(directory, slab_state()))
    {
        INFO(path.string());
        SystemConfig system = two_species();
        CHECK(start_from(path, system).species == slab_state().species);
        system = two_species();
        std::reverse(system.species.begin(), system.species.end());
        State const state = start_from(path, system);
        CHECK(state.species == std::vector<std::int32_t>{1, 0, 1, 0, 1, 0});
        CHECK(state.species_mass == std::vector<double>{39.948, 1.0});
        // a species more than the file has is the input's to say
        system = two_species();
        system.species.push_back({"C", 5.0, {}});
        CHECK(start_from(path, system).species_mass == std::vector<double>{1.0, 39.948, 5.0});
    }
}

TEST_CASE("an input that contradicts its start file is wrong, and both values are named")
{
    TemporaryDirectory const directory;
    for (auto const& path : write_everywhere(directory, slab_state()))
    {
        INFO(path.string());
        std::string message = complaint(path, two_species(40.0));
        CHECK(mentions(message, "system.species.1.mass"));
        CHECK(mentions(message, "40"));
        CHECK(mentions(message, "39.948"));
        SystemConfig system = two_species();
        system.boundary.z = Boundary::periodic;
        message = complaint(path, system);
        CHECK(mentions(message, "system.boundary"));
        CHECK(mentions(message, "[periodic, periodic, periodic]"));
        CHECK(mentions(message, "[periodic, periodic, open]"));
        system = two_species();
        system.species.pop_back();
        CHECK(mentions(complaint(path, system), "system.species"));
    }
}

TEST_CASE("a mass of few digits agrees with the number that it rounds")
{
    TemporaryDirectory const directory;
    std::ofstream(directory / "s.data") << "t\n1 atoms\n1 atom types\n0 9 xlo xhi\n0 9 ylo yhi\n"
                                           "0 9 zlo zhi\nMasses\n\n1 39.9481\nAtoms\n\n1 1 0 0 0\n";
    SystemConfig system;
    system.species = {{"A", 39.948123, {}}};
    CHECK(start_from(directory / "s.data", system).species_mass.front() == 39.948123);
    system.species = {{"A", 39.9482, {}}};
    CHECK(mentions(complaint(directory / "s.data", system), "39.9481"));
    system.species = {{"A", 39.94, {}}};
    CHECK(mentions(complaint(directory / "s.data", system), "39.9481"));
}

TEST_CASE("species that are numbers are matched by their number, or by names that are numbers")
{
    using Species = std::vector<std::int32_t>;
    std::string message;
    CHECK(match(numbered_file({0, 1}), {"a", "b"}) == Species{0, 1});
    CHECK(match(numbered_file({1, 2}), {"a", "b"}) == Species{0, 1});
    CHECK(match(numbered_file({1, 2}), {"2", "1"}) == Species{1, 0});
    CHECK(match(numbered_file({0, 2}), {"a", "b", "c"}) == Species{0, 2});
    CHECK(match(numbered_file({2000000000}), {"2000000000"}) == Species{0});
    // 1 is the second if counted from 0, else the first
    CHECK(match(numbered_file({1}), {"a", "b"}, &message).empty());
    CHECK(mentions(message, "from 0 or from 1"));
    StartFile types = numbered_file({1, 2});
    types.first_number = 1;
    CHECK(match(types, {"a"}, &message).empty());
    CHECK(mentions(message, "species 2"));
    // the name says one thing, the place another
    CHECK(match(types, {"2", "b"}, &message).empty());
    CHECK(mentions(message, "by its place"));
    types.naming = SpeciesNaming::hinted;
    types.species[0].name = "Kr";
    types.species[1].name = "Ar";
    CHECK(match(types, {"Ar", "Kr"}) == Species{1, 0});
    CHECK(match(types, {"a", "b"}) == Species{0, 1});
    CHECK(match(types, {"Ar", "b"}, &message).empty());
    types.naming = SpeciesNaming::stated;
    CHECK(match(types, {"Ar", "b"}, &message).empty());
    CHECK(mentions(message, "'Kr'"));
}

TEST_CASE("pair coefficients of a file are taken, or held against those of the input")
{
    Config config;
    InputStatements said;
    config.system.temperature = 0.0;
    config.potential.pairs.clear();
    StartFile file = file_of_pairs({file_pair(0, 0, 1.0, 1.0), file_pair(0, 1, 1.5, 0.8),
                                    file_pair(1, 1, 0.5, 0.88, StatedNumber{2.2, 1e-6})});
    CHECK(take_start_file(config, said, file).empty());
    REQUIRE(config.potential.pairs.size() == 3);
    auto const table = resolve_pairs(config);
    CHECK(table[1].epsilon == 1.5);
    CHECK(table[1].sigma == 0.8);
    CHECK(table[1].cutoff == 2.5);
    CHECK(table[3].cutoff == 2.2);

    // the input gives one of the three, to more digits
    said.pairs = true;
    config.potential.pairs = {{"B", "A", 1.5000001, 0.8, {}}};
    CHECK(take_start_file(config, said, file).empty());
    CHECK(config.potential.pairs.size() == 3);
    CHECK(resolve_pairs(config)[1].epsilon == 1.5000001);

    config.potential.pairs = {{"B", "A", 1.0, 0.8, {}}};
    auto problems = take_start_file(config, said, file);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().key == "potential.pairs");
    CHECK(mentions(problems.front().message, "epsilon of 1,"));
    CHECK(mentions(problems.front().message, "1.5"));

    said.cutoff = true;
    config.potential.pairs.clear();
    problems = take_start_file(config, said, file);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().key == "potential.cutoff");
    CHECK(mentions(problems.front().message, "2.2"));
}

TEST_CASE("a single species without a name keeps the default's, with its pair")
{
    Config config;
    config.system.temperature = 0.0;
    config.potential.pairs = {{"A", "A", 1.0, 1.0, {}}};
    StartFile file = numbered_file({1});
    CHECK(take_start_file(config, {}, file).empty());
    CHECK(config.system.species.front().name == "A");
    CHECK(config.potential.pairs.size() == 1);
    StartFile named = numbered_file({1});
    named.naming = SpeciesNaming::stated;
    named.species.front().name = "Ar";
    CHECK(take_start_file(config, {}, named).empty());
    CHECK(config.potential.pairs.size() == 1);
    CHECK(config.potential.pairs.front().first == "Ar");
}

TEST_CASE("a file without velocities needs a temperature")
{
    Config config;
    StartFile file = numbered_file({1});
    auto problems = take_start_file(config, {}, file);
    REQUIRE(problems.size() == 1);
    CHECK(problems.front().key == "system.temperature");
    CHECK(mentions(problems.front().message, "f.h5 has no velocities"));
    file.state.velocity.resize(1);
    CHECK(take_start_file(config, {}, file).empty());
}
