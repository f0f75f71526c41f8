#include "io/h5md/checkpoint.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

#include "engine/config/errors.hpp"
#include "io/files/output_file.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

Checkpoint known_checkpoint(std::int64_t frame, std::int64_t particles)
{
    Checkpoint checkpoint;
    checkpoint.state = known_state(frame, particles);
    checkpoint.state.velocity.front() = {std::numeric_limits<double>::denorm_min(), -0.0, 1.0 / 3};
    checkpoint.state.list_position = checkpoint.state.position;
    checkpoint.state.list_position.back().x += 0.125;
    checkpoint.state.box.boundary.z = Boundary::open;
    checkpoint.rdf.range = 2.5;
    checkpoint.rdf.pairs = {0, 1, std::numeric_limits<std::uint64_t>::max()};
    checkpoint.rdf.samples = 7;
    checkpoint.rdf.pair_density_sum = 0.1;
    return checkpoint;
}

std::string bytes_of(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void set_bytes(std::filesystem::path const& path, std::string const& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a checkpoint gives every bit back")
{
    TemporaryDirectory const directory;
    auto const path = directory / "melt.ckpt.h5";
    Checkpoint expected = known_checkpoint(3, 50);
    bool const with_lists = GENERATE(true, false);
    if (!with_lists)
    {
        expected.state.list_position.clear();
        expected.rdf = {};
    }
    write_checkpoint(path, expected, known_run_info());
    LoadedCheckpoint const loaded = read_checkpoint(path);
    State const& state = loaded.checkpoint.state;
    CHECK(loaded.notice.empty());
    CHECK(loaded.resolved_yaml == known_run_info().resolved_yaml);
    CHECK(read_checkpoint_info(path).seed == known_run_info().seed);
    CHECK(state.box == expected.state.box);
    CHECK(state.step == 30);
    CHECK(state.time == expected.state.time);
    CHECK(state.id == expected.state.id);
    CHECK(state.species == expected.state.species);
    CHECK(state.position == expected.state.position);
    CHECK(state.image == expected.state.image);
    CHECK(state.velocity == expected.state.velocity);
    CHECK(std::signbit(state.velocity.front().y));
    CHECK(state.force == expected.state.force);
    CHECK(state.list_position == expected.state.list_position);
    CHECK(state.species_names == expected.state.species_names);
    CHECK(state.species_mass == expected.state.species_mass);
    CHECK(loaded.checkpoint.rdf.range == expected.rdf.range);
    CHECK(loaded.checkpoint.rdf.pairs == expected.rdf.pairs);
    CHECK(loaded.checkpoint.rdf.samples == expected.rdf.samples);
    CHECK(loaded.checkpoint.rdf.pair_density_sum == expected.rdf.pair_density_sum);
    CHECK(is_checkpoint(path));
    CHECK_FALSE(std::filesystem::exists(aside_name(path)));
}

TEST_CASE("the same state gives the same bytes")
{
    TemporaryDirectory const directory;
    write_checkpoint(directory / "a.h5", known_checkpoint(1, 20), known_run_info());
    write_checkpoint(directory / "b.h5", known_checkpoint(1, 20), known_run_info());
    CHECK(bytes_of(directory / "a.h5") == bytes_of(directory / "b.h5"));
}

TEST_CASE("the last two checkpoints are kept, and a damaged last one gives way to the other")
{
    TemporaryDirectory const directory;
    auto const path = directory / "melt.ckpt.h5";
    for (std::int64_t frame = 1; frame <= 3; ++frame)
    {
        write_checkpoint(path, known_checkpoint(frame, 20), known_run_info());
    }
    CHECK(previous_checkpoint(path) == directory / "melt.ckpt.prev.h5");
    CHECK(read_checkpoint(path).checkpoint.state.step == 30);
    CHECK(read_checkpoint(previous_checkpoint(path)).checkpoint.state.step == 20);

    std::string const whole = bytes_of(path);
    auto const expect_previous = [&] {
        LoadedCheckpoint const loaded = read_checkpoint(path);
        CHECK(loaded.checkpoint.state.step == 20);
        CHECK(mentions(loaded.notice, "melt.ckpt.prev.h5"));
        CHECK(mentions(loaded.notice, "step 20"));
    };
    SECTION("truncated anywhere")
    {
        for (std::size_t const length :
             {std::size_t{0}, std::size_t{1}, std::size_t{23}, whole.size() / 2, whole.size() - 1})
        {
            set_bytes(path, whole.substr(0, length));
            expect_previous();
        }
    }
    SECTION("one byte altered anywhere")
    {
        for (std::size_t place = 0; place < whole.size(); place += 1 + whole.size() / 97)
        {
            std::string altered = whole;
            altered[place] = static_cast<char>(altered[place] ^ 0x10);
            set_bytes(path, altered);
            expect_previous();
        }
        std::string altered = whole;
        altered.back() = static_cast<char>(altered.back() ^ 1);
        set_bytes(path, altered);
        expect_previous();
    }
    SECTION("bytes added")
    {
        set_bytes(path, whole + "x");
        expect_previous();
    }
    SECTION("gone")
    {
        std::filesystem::remove(path);
        expect_previous();
    }
    SECTION("both damaged")
    {
        set_bytes(path, whole.substr(0, 1000));
        set_bytes(previous_checkpoint(path), "");
        std::string const message = message_of<IoError>([&] { read_checkpoint(path); });
        CHECK(mentions(message, "melt.ckpt.h5"));
        CHECK(mentions(message, "melt.ckpt.prev.h5"));
    }
}

TEST_CASE("a checkpoint that does not fit leaves the earlier ones as they were")
{
    TemporaryDirectory const directory;
    auto const path = directory / "melt.ckpt.h5";
    write_checkpoint(path, known_checkpoint(1, 20), known_run_info());
    write_checkpoint(path, known_checkpoint(2, 20), known_run_info());
    pid_t const child = fork();
    if (child == 0)
    {
        signal(SIGXFSZ, SIG_IGN);
        rlimit const file_size{5000, 5000};
        setrlimit(RLIMIT_FSIZE, &file_size);
        std::string const message = message_of<IoError>(
            [&] { write_checkpoint(path, known_checkpoint(3, 20), known_run_info()); });
        std::exit(mentions(message, "melt.ckpt.h5") && mentions(message, "Free some space") ? 0
                                                                                            : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(read_checkpoint(path).checkpoint.state.step == 20);
    CHECK(read_checkpoint(previous_checkpoint(path)).checkpoint.state.step == 10);
    CHECK_FALSE(std::filesystem::exists(aside_name(path)));
}

TEST_CASE("a new run takes no other run's checkpoint for its own")
{
    TemporaryDirectory const directory;
    auto const path = directory / "melt.ckpt.h5";
    write_checkpoint(path, known_checkpoint(1, 20), known_run_info());
    write_checkpoint(path, known_checkpoint(2, 20), known_run_info());
    CHECK_THROWS_AS(make_way_for_checkpoints(path, false), IoError);
    CHECK(read_checkpoint(path).checkpoint.state.step == 20);
    make_way_for_checkpoints(path, true);
    CHECK_FALSE(std::filesystem::exists(path));
    CHECK_FALSE(std::filesystem::exists(previous_checkpoint(path)));
    CHECK(mentions(message_of<IoError>([&] { read_checkpoint(path); }), "No such file"));
    CHECK_FALSE(is_checkpoint(path));
}
