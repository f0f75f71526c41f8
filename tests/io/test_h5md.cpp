#include <cmath>
#include <fstream>
#include <iterator>

#include "engine/config/errors.hpp"
#include "io/h5md/read.hpp"
#include "io/h5md/trajectory.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

constexpr std::int64_t particles = 100;

TrajectoryConfig every_field(TrajectoryType dtype)
{
    TrajectoryConfig config;
    config.every = 10;
    config.dtype = dtype;
    config.fields = {Field::position, Field::image, Field::velocity, Field::force};
    return config;
}

void write_known(TrajectoryWriter& writer, std::int64_t frame, std::int64_t count = particles)
{
    State const state = known_state(frame, count);
    Observables const observables = known_observables(frame);
    writer.append_thermo(observables);
    writer.write({state, observables});
}

TrajectoryWriter start(std::filesystem::path const& path, TrajectoryConfig const& config,
                       std::int64_t count = particles)
{
    return {path, config, known_run_info(), known_state(0, count), false};
}

std::string bytes_of(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a float64 trajectory reads back every bit, compressed or not")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    TrajectoryConfig config = every_field(TrajectoryType::float64);
    config.compress = GENERATE(false, true);
    TrajectoryWriter writer = start(path, config);
    for (std::int64_t frame = 0; frame < 7; ++frame)
    {
        write_known(writer, frame);
    }
    writer.close();

    TrajectoryReader const reader(path);
    REQUIRE(reader.frame_count() == 7);
    CHECK(reader.thermo_rows() == 7);
    for (std::int64_t frame = 0; frame < 7; ++frame)
    {
        State const expected = known_state(frame, particles);
        State const state = reader.read(frame);
        CHECK(state.box == expected.box);
        CHECK(state.step == expected.step);
        CHECK(state.time == expected.time);
        CHECK(state.id == expected.id);
        CHECK(state.species == expected.species);
        CHECK(state.position == expected.position);
        CHECK(state.image == expected.image);
        CHECK(state.velocity == expected.velocity);
        CHECK(state.force == expected.force);
        CHECK(state.species_names == expected.species_names);
        CHECK(state.species_mass == expected.species_mass);
    }
    CHECK(reader.run_info().seed == 18446744073709551615U);
    CHECK(reader.run_info().resolved_yaml == known_run_info().resolved_yaml);
    CHECK(reader.creator() == "tessera 0.1.0");
    CHECK_THROWS_AS(reader.read(7), IoError);
}

TEST_CASE("a float32 position that rounds onto the face moves to the next image")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    State state = known_state(0, 3);
    state.position[0].x = std::nextafter(8.0, 0.0);
    state.position[1].x = 7.5;
    state.box.boundary.y = Boundary::open;
    state.position[2].y = 9.0 + 1e-9;
    Observables observables = known_observables(0);
    observables.pressure.reset();  // an open axis: no volume
    observables.pressure_tensor.reset();
    observables.density.reset();
    {
        TrajectoryWriter writer(path, every_field(TrajectoryType::float32), known_run_info(), state,
                                false);
        writer.write({state, observables});
    }
    State const read = TrajectoryReader(path).read(0);
    CHECK(read.position[0].x == 0.0);
    CHECK(read.image[0].x == 1);
    CHECK(read.position[1].x == 7.5);
    CHECK(read.image[1].x == 0);
    CHECK(read.position[2].y == 9.0);  // an open axis has no next image
    CHECK(read.image[2].y == 0);
    CHECK(read.box.boundary == state.box.boundary);
}

TEST_CASE("an existing trajectory is replaced only on request")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    TrajectoryConfig const config = every_field(TrajectoryType::float32);
    {
        TrajectoryWriter writer = start(path, config);
        write_known(writer, 0);
    }
    std::string const before = bytes_of(path);
    CHECK(mentions(message_of<IoError>([&] { start(path, config); }), "output.overwrite"));
    CHECK(bytes_of(path) == before);
    {
        TrajectoryWriter writer(path, config, known_run_info(), known_state(0, 5), true);
    }
    CHECK(TrajectoryReader(path).particle_count() == 5);
    CHECK(TrajectoryReader(path).frame_count() == 0);
}

TEST_CASE("resume keeps frames up to the checkpoint's step, once each")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    TrajectoryConfig const config = every_field(TrajectoryType::float32);
    {
        TrajectoryWriter writer = start(path, config);
        for (std::int64_t frame = 0; frame < 6; ++frame)
        {
            write_known(writer, frame);
        }
    }
    std::int64_t const checkpoint_step = GENERATE(30, 34, 50, 99, -1);
    std::int64_t const kept = std::min<std::int64_t>(6, (checkpoint_step + 10) / 10);
    {
        TrajectoryWriter writer = TrajectoryWriter::resume(path, config, checkpoint_step);
        CHECK(writer.committed_frames() == kept);
        for (std::int64_t frame = std::max<std::int64_t>(kept - 1, 0); frame < 9; ++frame)
        {
            write_known(writer, frame);  // the first is there already, unless none is
        }
    }
    TrajectoryReader const reader(path);
    CHECK(reader.frame_count() == 9);
    CHECK(reader.present_frames() == 9);
    CHECK(reader.thermo_rows() == 9);
    std::vector<std::int64_t> const steps = reader.steps();
    for (std::size_t frame = 0; frame < steps.size(); ++frame)
    {
        CHECK(steps[frame] == 10 * static_cast<std::int64_t>(frame));
    }
    CHECK(reader.read(8).velocity == known_state(8, particles).velocity);
}

TEST_CASE("resume refuses other fields, another particle count, and what is no trajectory")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    TrajectoryConfig config = every_field(TrajectoryType::float32);
    {
        TrajectoryWriter writer = start(path, config);
        write_known(writer, 0);
    }
    config.fields = {Field::position, Field::image};
    CHECK(mentions(message_of<IoError>([&] { TrajectoryWriter::resume(path, config, 0); }),
                   "velocity"));
    config = every_field(TrajectoryType::float32);
    {
        TrajectoryWriter writer = TrajectoryWriter::resume(path, config, 0);
        CHECK_THROWS_AS(write_known(writer, 1, particles + 1), IoError);
    }
    // a writer that failed keeps the file locked until its process ends
    std::filesystem::copy_file(path, directory / "copy.h5");
    CHECK(TrajectoryReader(directory / "copy.h5").frame_count() == 1);
    CHECK_THROWS_AS(TrajectoryWriter::resume(directory / "none.h5", config, 0), IoError);
    std::ofstream(directory / "text.h5") << "not HDF5\n";
    CHECK_THROWS_AS(TrajectoryReader(directory / "text.h5"), IoError);
}

TEST_CASE("a trajectory is at most 1.2 times its raw data")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    std::int64_t const count = GENERATE(864, 130000);  // the larger has frames of several chunks
    std::int64_t const frames = count > 1000 ? 4 : 100;
    TrajectoryConfig config;  // position float32 and image int32: 24 bytes a particle
    config.every = 10;
    {
        TrajectoryWriter writer = start(path, config, count);
        for (std::int64_t frame = 0; frame < frames; ++frame)
        {
            write_known(writer, frame, count);
        }
    }
    double const constant = 20.0 * static_cast<double>(count);  // species, mass, id
    double const raw = 24.0 * static_cast<double>(count * frames) + constant;
    CHECK(static_cast<double>(std::filesystem::file_size(path)) <= 1.2 * raw);
    CHECK(TrajectoryReader(path).read(frames - 1).image == known_state(frames - 1, count).image);
}

TEST_CASE("g(r) is stored and replaced; a closed file takes nothing more")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    {
        TrajectoryWriter writer = start(path, every_field(TrajectoryType::float32));
        writer.write_rdf({0.5, 1.5}, {0.0, 1.0});
        writer.write_rdf({0.5, 1.5, 2.5}, {0.0, 2.0, 1.0});
        writer.close();
        CHECK_THROWS_AS(write_known(writer, 0), IoError);
    }
    auto const [radius, value] = TrajectoryReader(path).rdf();
    CHECK(radius == std::vector<double>{0.5, 1.5, 2.5});
    CHECK(value == std::vector<double>{0.0, 2.0, 1.0});
    start(directory / "u.h5", every_field(TrajectoryType::float32)).close();
    CHECK(TrajectoryReader(directory / "u.h5").rdf().first.empty());
}
