#include "tools/convert.hpp"

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
#include "tools/info.hpp"

using namespace tessera;

namespace
{

constexpr std::int64_t particles = 30;

std::filesystem::path write_trajectory(TemporaryDirectory const& directory, std::int64_t frames)
{
    TrajectoryConfig config;
    config.dtype = TrajectoryType::float64;
    config.fields = {Field::position, Field::image, Field::velocity};
    TrajectoryWriter writer(directory / "t.h5", config, known_run_info(), known_state(0, particles),
                            false);
    for (std::int64_t frame = 0; frame < frames; ++frame)
    {
        State const state = known_state(frame, particles);
        Observables const observables = known_observables(frame);
        writer.write({state, observables});
    }
    return directory / "t.h5";
}

State start_as(std::filesystem::path const& path, std::optional<std::int64_t> frame)
{
    SystemConfig system;
    system.species = {{"A", 1.0, {}}, {"B", 39.948, {}}};
    return start_from(path, system, frame);
}

}  // namespace

TEST_CASE("a converted trajectory starts runs with the same particles")
{
    TemporaryDirectory const directory;
    auto const path = write_trajectory(directory, 3);
    CHECK(run_convert(path, "xyz", {}) == 0);
    CHECK(run_convert(path, "data", directory / "last.data") == 0);
    for (std::int64_t frame = 0; frame < 3; ++frame)
    {
        State const state = start_as(directory / "t.xyz", frame);
        CHECK(state.position == known_state(frame, particles).position);
        CHECK(state.image == known_state(frame, particles).image);
        CHECK(state.velocity == known_state(frame, particles).velocity);
        CHECK(state.species == known_state(frame, particles).species);
    }
    CHECK(start_as(directory / "last.data", {}).position == known_state(2, particles).position);
}

TEST_CASE("a dump has every frame, a checkpoint makes one")
{
    TemporaryDirectory const directory;
    auto const count_frames = [](std::filesystem::path const& path) {
        std::ifstream file(path);
        std::string const text{std::istreambuf_iterator<char>(file), {}};
        std::size_t count = 0;
        for (std::size_t place = text.find("TIMESTEP"); place != std::string::npos;
             place = text.find("TIMESTEP", place + 1))
        {
            ++count;
        }
        return count;
    };
    run_convert(write_trajectory(directory, 4), "lammpstrj", {});
    CHECK(count_frames(directory / "t.lammpstrj") == 4);
    write_checkpoint(directory / "c.ckpt.h5", {known_state(1, particles), {}}, known_run_info());
    run_convert(directory / "c.ckpt.h5", "lammpstrj", directory / "c.lammpstrj");
    CHECK(count_frames(directory / "c.lammpstrj") == 1);
}

TEST_CASE("convert replaces no file, knows its formats and leaves no half of a file")
{
    TemporaryDirectory const directory;
    {
        TemporaryDirectory const other;
        auto const whole = write_trajectory(other, 1);
        CHECK(mentions(message_of<ConfigError>([&] { run_convert(whole, "xyz", whole); }),
                       "would be destroyed"));
        run_convert(whole, "xyz", other / "t.xyz");
        CHECK(mentions(message_of<ConfigError>([&] { run_convert(whole, "xyz", other / "t.xyz"); }),
                       "File exists"));
    }
    auto const path = write_trajectory(directory, 0);
    CHECK(mentions(message_of<ConfigError>([&] { run_convert(path, "pdb", {}); }), "lammpstrj"));
    CHECK(mentions(message_of<ConfigError>([&] { run_convert(path, "xyz", {}); }),
                   "no complete frame"));
    CHECK_FALSE(std::filesystem::exists(directory / "t.xyz"));
}

TEST_CASE("info tells whole files from damaged ones")
{
    TemporaryDirectory const directory;
    CHECK(run_info(write_trajectory(directory, 2)) == 0);
    auto const path = directory / "c.ckpt.h5";
    write_checkpoint(path, {known_state(1, particles), {}}, known_run_info());
    write_checkpoint(path, {known_state(2, particles), {}}, known_run_info());
    CHECK(run_info(path) == 0);
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(4000).put('x');
    CHECK(run_info(path) == 1);
    std::ofstream(directory / "text.h5") << "text";
    CHECK_THROWS_AS(run_info(directory / "text.h5"), ConfigError);
}
