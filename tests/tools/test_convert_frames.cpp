/// Which frames are converted, and what is in them: no more and no less than the file says.

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/trajectory.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/start_from.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tools/convert.hpp"

using namespace tessera;

namespace
{

constexpr std::int64_t particles = 5;

std::filesystem::path write_trajectory(TemporaryDirectory const& directory,
                                       std::vector<State> const& states, std::vector<Field> fields)
{
    TrajectoryConfig config;
    config.dtype = TrajectoryType::float64;
    config.fields = std::move(fields);
    TrajectoryWriter writer(directory / "t.h5", config, known_run_info(), states.front(), false);
    for (State const& state : states)
    {
        writer.write({state, known_observables(
                                 0, has_volume(state.box) ? Volume::present : Volume::absent)});
    }
    return directory / "t.h5";
}

std::vector<State> known_states(std::int64_t frames)
{
    std::vector<State> states;
    for (std::int64_t frame = 0; frame < frames; ++frame)
    {
        states.push_back(known_state(frame, particles));
    }
    return states;
}

std::string text_of(std::filesystem::path const& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The steps of the frames of a dump.
std::vector<int> steps_of(std::filesystem::path const& path)
{
    std::vector<int> steps;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
    {
        if (line == "ITEM: TIMESTEP")
        {
            steps.emplace_back();
            file >> steps.back();
        }
    }
    return steps;
}

/// The line behind the one that begins with `start`.
std::string line_of(std::string const& text, std::string const& start)
{
    std::size_t const place = text.find(start);
    return place == std::string::npos ? "" : text.substr(place, text.find('\n', place) - place);
}

/// Particles beyond both faces of the open x, at an image of the periodic y, on a face of z.
State escaped_state()
{
    State state = known_state(0, particles);
    state.box.boundary = {Boundary::open, Boundary::periodic, Boundary::open};
    state.position[0].x = -1000.0;
    state.position[1].x = 123.456;
    state.position[2].z = state.box.edges.z;
    state.image[3].y = -7;
    return state;
}

}  // namespace

TEST_CASE("frames are picked by number, first, last or range")
{
    TemporaryDirectory const directory;
    auto const path = write_trajectory(directory, known_states(8), {Field::position});
    int number = 0;
    auto const steps = [&](FrameChoice const& choice) {
        auto const output = directory / (std::to_string(++number) + ".lammpstrj");
        CHECK(run_convert(path, "lammpstrj", output, choice) == 0);
        return steps_of(output);
    };
    using Steps = std::vector<int>;
    CHECK(steps({}).size() == 8);
    CHECK(steps({"first"}) == Steps{0});
    CHECK(steps({"last"}) == Steps{70});
    CHECK(steps({"3"}) == Steps{30});
    CHECK(steps({"", 2, 7, 3}) == Steps{20, 50});
    CHECK(steps({"", 5}) == Steps{50, 60, 70});
    CHECK(steps({"", {}, 1}) == Steps{0, 10});
    CHECK(steps({"", {}, {}, 100}) == Steps{0});
    CHECK(run_convert(path, "data", directory / "3.data", {"3"}) == 0);
    CHECK(mentions(text_of(directory / "3.data"), "step 30"));

    auto const refused = [&](FrameChoice const& choice, std::string const& format = "xyz") {
        return message_of<ConfigError>([&] { run_convert(path, format, {}, choice); });
    };
    CHECK(mentions(refused({"8"}), "the file holds 8"));
    CHECK(mentions(refused({"-1"}), "the file holds 8"));
    CHECK(mentions(refused({"second"}), "--frame second"));
    CHECK(mentions(refused({"1", 2}), "--from"));
    CHECK(mentions(refused({"", 4, 3}), "frames 4 to 3"));
    CHECK(mentions(refused({"", {}, {}, 0}), "--every 0"));
    CHECK(mentions(refused({"", 1}, "data"), "--frame"));
    CHECK_FALSE(std::filesystem::exists(directory / "t.xyz"));
}

TEST_CASE("what a file has no value of is in no format made from it")
{
    TemporaryDirectory const directory;
    auto const path = write_trajectory(directory, known_states(1), {Field::position});
    run_convert(path, "xyz", {});
    run_convert(path, "data", {});
    run_convert(path, "lammpstrj", {});
    std::string const xyz = text_of(directory / "t.xyz");
    CHECK(mentions(xyz, "Properties=species:S:1:pos:R:3:id:I:1:mass:R:1 "));
    std::string const data = text_of(directory / "t.data");
    CHECK_FALSE(mentions(data, "Velocities"));
    CHECK(mentions(data, "\n1 1 0 0 5\n"));
    CHECK(mentions(text_of(directory / "t.lammpstrj"), "ITEM: ATOMS id type x y z\n"));
    for (char const* name : {"t.xyz", "t.data"})
    {
        SystemConfig system;
        CHECK(start_from(directory / name, system, {}, InputSays::nothing).velocity.empty());
    }
}

TEST_CASE("the written box holds every particle of an open system")
{
    TemporaryDirectory const directory;
    State const state = escaped_state();
    auto const path = write_trajectory(directory, {state}, {Field::position, Field::image});
    run_convert(path, "xyz", {});
    run_convert(path, "data", {});
    run_convert(path, "lammpstrj", {});
    std::string const dump = text_of(directory / "t.lammpstrj");
    std::string const bounds = "ITEM: BOX BOUNDS ff pp ff\n";
    REQUIRE(mentions(dump, bounds));
    double low = 0.0, high = 0.0;
    std::string const after = dump.substr(dump.find(bounds) + bounds.size());
    REQUIRE(std::sscanf(after.c_str(), "%lf %lf", &low, &high) == 2);
    CHECK(low < -1000.0);
    CHECK(low > -1000.01);
    CHECK(high > 123.456);
    CHECK(high < 123.46);
    CHECK(mentions(after.substr(after.find('\n')), "\n0 9\n0 10.0000"));  // y as it was, z past 10
    std::string const data = text_of(directory / "t.data");
    CHECK(line_of(data, "LAMMPS") ==
          "LAMMPS data file by tessera, units lj, boundary f p f, step 0");
    CHECK(mentions(data, fmt::format("\n{} {} xlo xhi\n0 9 ylo yhi\n", low, high)));
    CHECK(mentions(text_of(directory / "t.xyz"), "pbc=\"F T F\""));
    CHECK(mentions(text_of(directory / "t.xyz"), fmt::format("Origin=\"{} 0 0\"", low)));

    for (char const* name : {"t.xyz", "t.data"})
    {
        SystemConfig system;
        State const read = start_from(directory / name, system, {}, InputSays::nothing);
        CHECK(system.boundary == state.box.boundary);
        for (std::size_t particle = 0; particle < state.position.size(); ++particle)
        {
            Vec3<double> const moved = read.position[particle] - state.position[particle];
            CHECK(moved.x == Approx(-low).epsilon(1e-14));  // the box begins at the origin
            CHECK(moved.y == 0.0);
            CHECK(moved.z == 0.0);
            CHECK(read.position[particle].x < read.box.edges.x);
            CHECK(read.image[particle] == state.image[particle]);
        }
    }
}

TEST_CASE("an image along an open axis is unfolded before the box is widened")
{
    TemporaryDirectory const directory;
    State state = escaped_state();
    state.image[4].x = 3;  // files of other programs have such
    write_checkpoint(directory / "c.h5", {state, {}}, known_run_info());
    run_convert(directory / "c.h5", "xyz", {});
    SystemConfig system;
    State const read = start_from(directory / "c.xyz", system, {}, InputSays::nothing);
    double const origin = read.position[0].x - state.position[0].x;
    CHECK(read.position[4].x - origin ==
          Approx(state.position[4].x + 3.0 * state.box.edges.x).epsilon(1e-12));
    CHECK(read.image[4].x == 0);
}
