/// Files that were made to do harm, or that damage made: they are refused and stay as they are.

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>
#include <thread>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/read.hpp"
#include "io/h5md/trajectory.hpp"
#include "io/hdf5/numbers.hpp"
#include "io/hdf5/probe.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

constexpr std::int64_t particles = 20;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::string bytes_of(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

Checkpoint known_checkpoint(std::int64_t frame)
{
    Checkpoint checkpoint;
    checkpoint.state = known_state(frame, particles);
    checkpoint.state.list_position = checkpoint.state.position;
    checkpoint.rdf = {2.5, {0, 1, 2}, 7, 0.1};
    return checkpoint;
}

TrajectoryConfig config_of_trajectory()
{
    TrajectoryConfig config;
    config.every = 10;
    return config;
}

RunInfo info_with_id(std::string id)
{
    RunInfo info = known_run_info();
    info.run_id = std::move(id);
    return info;
}

std::filesystem::path write_trajectory(std::filesystem::path const& path, RunInfo const& info)
{
    TrajectoryWriter writer(path, config_of_trajectory(), info, known_state(0, particles), false);
    for (std::int64_t frame = 0; frame < 3; ++frame)
    {
        State const state = known_state(frame, particles);
        Observables const observables = known_observables(frame);
        writer.append_thermo(observables);
        writer.write({state, observables});
    }
    writer.close();
    return path;
}

}  // namespace

TEST_CASE("checkpoints replace no pipe, follow no link and wait for no writer")
{
    TemporaryDirectory const directory;
    auto const pipe = directory / "pipe.h5";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(mentions(
        message_of<IoError>([&] { write_checkpoint(pipe, known_checkpoint(1), known_run_info()); }),
        "no regular file"));
    CHECK(std::filesystem::is_fifo(pipe));
    CHECK_FALSE(is_checkpoint(pipe));
    CHECK(mentions(message_of<IoError>([&] { read_checkpoint(pipe); }), "no regular file"));
    CHECK(mentions(message_of<IoError>([&] { TrajectoryReader reader(pipe); }), "no regular file"));

    auto const victim = directory / "victim";
    std::ofstream(victim) << "precious";
    std::filesystem::create_symlink(victim, directory / ".c.h5.new");
    CHECK_THROWS_AS(write_checkpoint(directory / "c.h5", known_checkpoint(1), known_run_info()),
                    IoError);
    CHECK(bytes_of(victim) == "precious");
}

TEST_CASE("equal runs make equal files, whatever the time of day")
{
    TemporaryDirectory const directory;
    write_trajectory(directory / "a.h5", info_with_id("1"));
    write_checkpoint(directory / "a.ckpt.h5", known_checkpoint(1), known_run_info());
    // the library's times have whole seconds
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    write_trajectory(directory / "b.h5", info_with_id("1"));
    write_checkpoint(directory / "b.ckpt.h5", known_checkpoint(1), known_run_info());
    CHECK(bytes_of(directory / "a.h5") == bytes_of(directory / "b.h5"));
    CHECK(bytes_of(directory / "a.ckpt.h5") == bytes_of(directory / "b.ckpt.h5"));
}

TEST_CASE("a trajectory is continued by its own run alone, and otherwise stays as it is")
{
    TemporaryDirectory const directory;
    auto const path = write_trajectory(directory / "t.h5", info_with_id("1"));
    std::string const before = bytes_of(path);
    TrajectoryConfig const config = config_of_trajectory();
    State state = known_state(2, particles);
    auto const refusal = [&](RunInfo const& info) {
        return message_of<IoError>(
            [&] { TrajectoryWriter::check_resume(path, config, state, info); });
    };
    CHECK(refusal(info_with_id("1")).empty());
    CHECK(mentions(refusal(info_with_id("2")), "another run's"));
    // a checkpoint from before runs had ids tells itself by its seed
    CHECK(refusal(info_with_id("")).empty());
    RunInfo other_seed = info_with_id("");
    other_seed.seed = 5;
    CHECK(mentions(refusal(other_seed), "another run's"));
    state.species.front() = 1;
    CHECK(mentions(refusal(info_with_id("1")), "species"));
    state = known_state(2, particles + 1);
    CHECK(mentions(refusal(info_with_id("1")), "id"));
    state = known_state(2, particles);
    state.species_mass.back() = 2.0;
    CHECK(mentions(refusal(info_with_id("1")), "masses"));
    state = known_state(2, particles);
    state.box.boundary.x = Boundary::open;
    CHECK(mentions(refusal(info_with_id("1")), "holds pressure"));
    Observables with_tail;
    with_tail.tail.emplace();
    CHECK(mentions(message_of<IoError>([&] {
                       TrajectoryWriter::check_resume(path, config, known_state(2, particles),
                                                      info_with_id("1"), with_tail);
                   }),
                   "lacks tail_pressure"));
    CHECK(bytes_of(path) == before);
}

TEST_CASE("a trajectory that a run is writing can be read, and its run goes on")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    TrajectoryWriter writer(path, config_of_trajectory(), known_run_info(),
                            known_state(0, particles), false);
    for (std::int64_t frame = 0; frame < 100; ++frame)
    {
        State const state = known_state(frame, particles);
        Observables const observables = known_observables(frame);
        writer.write({state, observables});
        TrajectoryReader const reader(path);
        REQUIRE(reader.frame_count() == frame + 1);
        REQUIRE(reader.read(frame).image == state.image);
    }
}

TEST_CASE("numbers are read as they are or not at all")
{
    TemporaryDirectory const directory;
    hdf5::Handle const file = hdf5::create_memory_file();
    auto const write = [&]<class T>(char const* name, std::vector<T> const& values) {
        hdf5::write_array<T>(file, name, values, {values.size()});
        return hdf5::Numbers::open(file, name);
    };
    using Integers = std::vector<std::int32_t>;
    CHECK(write("a", std::vector<double>{1.0, -2.0}).all<std::int32_t>() == Integers{1, -2});
    CHECK(write("b", std::vector<std::int64_t>{7}).all<std::int32_t>() == Integers{7});
    CHECK(write("c", std::vector<std::uint64_t>{7}).all<std::int32_t>() == Integers{7});
    CHECK(write("d", Integers{7}).all<double>() == std::vector<double>{7.0});
    for (double const value : {0.5, not_a_number, infinity, -infinity, 2147483648.0, 1e300})
    {
        auto const numbers = write(fmt::format("x{}", value).c_str(), std::vector<double>{value});
        CHECK_THROWS_AS(numbers.all<std::int32_t>(), IoError);
    }
    CHECK_THROWS_AS(
        write("e", std::vector<std::int64_t>{std::int64_t{1} << 40}).all<std::int32_t>(), IoError);
    CHECK_THROWS_AS(write("f", std::vector<std::int64_t>{-1}).all<std::uint64_t>(), IoError);
    auto const numbers = write("g", Integers{1, 2, 3});
    CHECK_THROWS_AS(numbers.read<std::int32_t>(2, 2), IoError);
    CHECK_THROWS_AS(numbers.read<std::int32_t>(~hsize_t{0}, 2), IoError);
    Integers one(1);
    CHECK_THROWS_AS(numbers.read<std::int32_t>(0, 2, std::span(one)), IoError);
}

TEST_CASE("a read that crashes or takes too much memory ends in its own process")
{
    TemporaryDirectory const directory;
    auto const path = directory / "file";
    std::ofstream(path) << "text";
    CHECK_NOTHROW(hdf5::probe(path, [] {}));
    CHECK_NOTHROW(hdf5::probe(path, [] { throw IoError("met again by the caller"); }));
    CHECK(mentions(message_of<IoError>([&] {
                       hdf5::probe(path, [] {
                           ::signal(SIGSEGV, SIG_DFL);
                           ::raise(SIGSEGV);
                       });
                   }),
                   "damaged"));
    CHECK(mentions(message_of<IoError>(
                       [&] { hdf5::probe(path, [] { std::string(std::size_t{1} << 40, 'x'); }); }),
                   "damaged"));
}
