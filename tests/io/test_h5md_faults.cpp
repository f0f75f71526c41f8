/// What the world does to a trajectory: no space, no permission, locks, kill -9.

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <thread>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/read.hpp"
#include "io/h5md/trajectory.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

TrajectoryConfig position_and_image()
{
    TrajectoryConfig config;
    config.every = 10;
    return config;
}

/// Writes frames in a child whose files end at `limit` bytes; exit code 0 if the writer said so in
/// an IoError, kept quiet afterwards, and left normally.
int write_until_full(std::filesystem::path const& path, std::int64_t particles, rlim_t limit)
{
    pid_t const child = fork();
    if (child == 0)
    {
        signal(SIGXFSZ, SIG_IGN);
        rlimit const file_size{limit, limit};
        setrlimit(RLIMIT_FSIZE, &file_size);
        std::string message;
        try
        {
            TrajectoryWriter writer(path, position_and_image(), known_run_info(),
                                    known_state(0, particles), false);
            message = message_of<IoError>([&] {
                for (std::int64_t frame = 0; frame < 10000; ++frame)
                {
                    State const state = known_state(frame, particles);
                    Observables const observables = known_observables(frame);
                    writer.write({state, observables});
                }
            });
            std::ofstream(path.string() + ".count") << writer.committed_frames();
        }
        catch (IoError const& error)
        {
            message = error.what();
        }
        bool const clear = mentions(message, path.string()) && mentions(message, "too large") &&
                           mentions(message, "Free some space");
        std::exit(clear ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Lets write_frames write `path` and kills it between 2 and 80 ms later; how many frames it had
/// reported safe, -1 if none.
long long write_until_killed(std::filesystem::path const& path, int particles, std::mt19937& random)
{
    std::chrono::microseconds const delay(std::uniform_int_distribution<int>(2000, 80000)(random));
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t const child = fork();
    if (child == 0)
    {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(WRITE_FRAMES, WRITE_FRAMES, path.c_str(), "1000000",
              std::to_string(particles).c_str(), nullptr);
        _exit(127);
    }
    close(ends[1]);
    std::FILE* reports = fdopen(ends[0], "r");
    std::thread killer([&] {
        std::this_thread::sleep_for(delay);
        kill(child, SIGKILL);
    });
    long long reported = -1, latest = 0;
    while (std::fscanf(reports, "%lld\n", &latest) == 1)
    {
        reported = latest;
    }
    killer.join();
    waitpid(child, nullptr, 0);
    std::fclose(reports);
    return reported;
}

}  // namespace

TEST_CASE("a full disk ends with a clear message, and every committed frame is kept")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    std::int64_t const particles = GENERATE(10, 500, 5000);
    rlim_t const limit = GENERATE(1500000, 1700001, 3333333);
    REQUIRE(write_until_full(path, particles, limit) == 0);
    std::int64_t counted = -1;
    std::ifstream(path.string() + ".count") >> counted;
    TrajectoryReader const reader(path);
    CHECK(reader.frame_count() == counted);
    for (std::int64_t frame = 0; frame < counted; frame += 1 + counted / 50)
    {
        State const state = reader.read(frame);
        REQUIRE(state.step == 10 * frame);
        REQUIRE(state.image == known_state(frame, particles).image);
        REQUIRE(state.position.back().z == 5.0);
    }
}

TEST_CASE("a disk that is full at once gives a message, not a crash")
{
    TemporaryDirectory const directory;
    rlim_t const limit = GENERATE(1, 700, 5000, 500000);
    CAPTURE(limit);
    CHECK(write_until_full(directory / "t.h5", 100, limit) == 0);
    CHECK_FALSE(std::filesystem::exists(directory / "t.h5"));
}

TEST_CASE("a directory that is missing or read-only is named")
{
    auto const open = [](char const* path) {
        return message_of<IoError>([&] {
            TrajectoryWriter(path, position_and_image(), known_run_info(), known_state(0, 2),
                             false);
        });
    };
    std::string const missing = open("/no/such/directory/t.h5");
    CHECK(mentions(missing, "/no/such/directory/t.h5"));
    CHECK(mentions(missing, "No such file or directory"));
    std::string const read_only = open("/sys/t.h5");  // refuses root as well
    CHECK(mentions(read_only, "/sys/t.h5"));
    CHECK(mentions(read_only, "Check the permissions"));
}

TEST_CASE("a trajectory that another program has locked is neither replaced nor continued")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    State const state = known_state(0, 4);
    Observables const observables = known_observables(0);
    {
        TrajectoryWriter writer(path, position_and_image(), known_run_info(), state, false);
        writer.write({state, observables});
    }
    int const descriptor = open(path.c_str(), O_RDWR);
    REQUIRE(flock(descriptor, LOCK_EX) == 0);
    CHECK(mentions(message_of<IoError>([&] {
                       TrajectoryWriter(path, position_and_image(), known_run_info(), state, true);
                   }),
                   "another program has it open"));
    CHECK(mentions(
        message_of<IoError>([&] { TrajectoryWriter::resume(path, position_and_image(), 0); }),
        "HDF5_USE_FILE_LOCKING"));
    close(descriptor);
    CHECK(TrajectoryReader(path).frame_count() == 1);
}

TEST_CASE("a trajectory killed at any instant opens and holds every committed frame")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.h5";
    std::mt19937 random(20240817);
    std::uniform_int_distribution<int> particle_choice(1, 3000);
    for (int kill_number = 0; kill_number < 50; ++kill_number)
    {
        long long const reported = write_until_killed(path, particle_choice(random), random);
        if (reported < 0)
        {
            continue;  // killed before its first frame
        }
        TrajectoryReader const reader(path);
        INFO("kill " << kill_number << ", " << reported << " frames reported");
        REQUIRE(reader.frame_count() >= reported);
        auto const count = reader.particle_count();
        auto const steps = reader.steps();
        std::int64_t const last = reader.frame_count() - 1;
        for (std::int64_t frame = last; frame >= 0; frame -= 1 + last / 40)
        {
            REQUIRE(steps[static_cast<std::size_t>(frame)] == 10 * frame);
            REQUIRE(reader.read(frame).velocity == known_state(frame, count).velocity);
        }
    }
}

TEST_CASE("a run killed while it writes checkpoints leaves a whole one, the last or the one before")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.ckpt.h5";
    std::mt19937 random(4711);
    for (int kill_number = 0; kill_number < 20; ++kill_number)
    {
        long long const reported = write_until_killed(path, 1000, random);
        if (reported > 0)
        {
            LoadedCheckpoint const loaded = read_checkpoint(path);
            State const& state = loaded.checkpoint.state;
            REQUIRE(loaded.notice.empty());  // the last name is never without a whole file
            REQUIRE(state.step / 10 >= reported - 1);
            REQUIRE(state.velocity == known_state(state.step / 10, 1000).velocity);
        }
    }
}
