/// Checkpoints with a right checksum and a wrong content, and the spare beside them.

#include <hdf5.h>

#include <fstream>
#include <limits>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/hdf5/raii.hpp"
#include "tests/support/forged.hpp"
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

Checkpoint known_checkpoint(std::int64_t frame)
{
    Checkpoint checkpoint;
    checkpoint.state = known_state(frame, particles);
    checkpoint.state.list_position = checkpoint.state.position;
    checkpoint.rdf = {2.5, {0, 1, 2}, 7, 0.1};
    return checkpoint;
}

/// Puts a dataset of `type` and `shape` in place of another.
void replace(hid_t file, char const* name, hid_t type, std::vector<hsize_t> const& shape,
             void const* data)
{
    REQUIRE(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t const space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    hid_t const dataset =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(dataset);
    H5Sclose(space);
}

/// Overwrites the first value of a dataset.
template <class T>
Edit first_value(char const* name, T value)
{
    return [=](hid_t file) {
        hid_t const dataset = H5Dopen2(file, name, H5P_DEFAULT);
        hid_t const space = H5Dget_space(dataset);
        std::vector<T> all(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
        hid_t const type = hdf5::native_type<T>();
        H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data());
        all.front() = value;
        REQUIRE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) >= 0);
        H5Sclose(space);
        H5Dclose(dataset);
    };
}

template <class T>
Edit rows(char const* name, hsize_t count, std::vector<hsize_t> row_shape)
{
    return [=](hid_t file) {
        std::vector<hsize_t> shape{count};
        shape.insert(shape.end(), row_shape.begin(), row_shape.end());
        std::vector<T> const zeros(count * 9, T{0});
        replace(file, name, hdf5::native_type<T>(), shape, zeros.data());
    };
}

struct Forgery
{
    char const* name;
    Edit edit;
    char const* reason;
};

std::vector<Forgery> forgeries()
{
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    constexpr std::int32_t largest_image = std::numeric_limits<std::int32_t>::max();
    return {
        {"velocities cut", rows<double>("state/velocity", 5, {3}), "different lengths"},
        {"images added", rows<std::int32_t>("state/image", 999, {3}), "different lengths"},
        {"forces cut", rows<double>("state/force", 0, {3}), "different lengths"},
        {"no particles", rows<std::int64_t>("state/id", 0, {}), "no particles"},
        {"positions in a plane", rows<double>("state/position", particles, {2}), "[particle][3]"},
        {"positions of rank 3", rows<double>("state/position", particles, {3, 3}), "[particle][3]"},
        {"ids of rank 2", rows<std::int64_t>("state/id", particles, {2}), "[particle]"},
        {"equal ids", rows<std::int64_t>("state/id", particles, {}), "do not ascend"},
        {"unknown species", first_value<std::int32_t>("state/species", 1000000), "no name"},
        {"negative species", first_value<std::int32_t>("state/species", -1), "no name"},
        {"no masses", attribute<double>("state", "species_masses", {}), "0 have a mass"},
        {"mass 0", attribute<double>("state", "species_masses", {1.0, 0.0}), "mass 0"},
        {"mass NaN", attribute<double>("state", "species_masses", {1.0, not_a_number}), "nan"},
        {"NaN edges", attribute<double>("state", "edges", {not_a_number, 9.0, 10.0}),
         "edge along x"},
        {"two edges", attribute<double>("state", "edges", {8.0, 9.0}), "2 box edges"},
        {"many edges", attribute<double>("state", "edges", std::vector<double>(50, 1.0)), "edges"},
        {"NaN position", first_value("state/position", not_a_number), "position"},
        {"position outside", first_value("state/position", 8.0), "position"},
        {"endless position", first_value("state/position", infinity), "position"},
        {"image at its end", first_value("state/image", largest_image), "crossed"},
        {"NaN velocity", first_value("state/velocity", not_a_number), "velocity"},
        {"velocity without square", first_value("state/velocity", 1e200), "velocity"},
        {"NaN force", first_value("state/force", not_a_number), "force"},
        {"endless list position", first_value("state/list_position", infinity), "list position"},
        {"last step", attribute<std::int64_t>("state", "step", {largest}),
         "step 9223372036854775807"},
        {"step below 0", attribute<std::int64_t>("state", "step", {-1}), "step -1"},
        {"late time", attribute<double>("state", "time", {1e30}), "time 1e+30"},
        {"two steps", attribute<std::int64_t>("state", "step", {1, 2}), "at most 1"},
        {"step of no number", attribute<double>("state", "step", {0.5}), "no whole number"},
        {"g(r) samples", attribute<std::int64_t>("rdf", "samples", {largest}), "samples"},
        {"g(r) range", attribute<double>("rdf", "range", {not_a_number}), "range"},
        {"g(r) density", attribute<double>("rdf", "pair_density_sum", {-infinity}), "pair density"},
        {"g(r) bins", rows<std::uint64_t>("rdf/pairs", 100001, {}), "100001 bins"},
        {"state gone", [](hid_t file) { H5Ldelete(file, "state", H5P_DEFAULT); }, "has no state"},
        {"group instead of a dataset",
         [](hid_t file) {
             H5Ldelete(file, "state/force", H5P_DEFAULT);
             H5Gclose(H5Gcreate2(file, "state/force", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
         },
         "dataset force"},
    };
}

}  // namespace

TEST_CASE("a checkpoint with a right checksum and a wrong state is refused, saying why")
{
    TemporaryDirectory const directory;
    auto const path = directory / "c.h5";
    for (Forgery const& forgery : forgeries())
    {
        std::filesystem::remove(path);
        std::filesystem::remove(previous_checkpoint(path));
        write_checkpoint(path, known_checkpoint(2), known_run_info());
        forge(path, forgery.edit);
        std::string const message = message_of<IoError>([&] { read_checkpoint(path); });
        INFO(forgery.name << ": " << message);
        CHECK(mentions(message, forgery.reason));
        CHECK_FALSE(mentions(message, "H5"));
        CHECK_FALSE(mentions(message, "_M_"));
    }
}

TEST_CASE("a forgery that changes nothing is read")
{
    TemporaryDirectory const directory;
    auto const path = directory / "c.h5";
    write_checkpoint(path, known_checkpoint(2), known_run_info());
    forge(path, [](hid_t) {});
    CHECK(read_checkpoint(path).checkpoint.state.step == 20);
}

TEST_CASE("a wrong state gives way to the checkpoint before it")
{
    TemporaryDirectory const directory;
    auto const path = directory / "c.h5";
    write_checkpoint(path, known_checkpoint(1), known_run_info());
    write_checkpoint(path, known_checkpoint(2), known_run_info());
    forge(path, first_value("state/force", not_a_number));
    LoadedCheckpoint const loaded = read_checkpoint(path);
    CHECK(loaded.checkpoint.state.step == 10);
    CHECK(mentions(loaded.notice, "force"));
}

TEST_CASE("a spare is replaced by nothing but a good checkpoint")
{
    TemporaryDirectory const directory;
    auto const path = directory / "c.h5";
    write_checkpoint(path, known_checkpoint(1), known_run_info());
    write_checkpoint(path, known_checkpoint(2), known_run_info());
    std::string const spare = bytes_of(previous_checkpoint(path));
    SECTION("the newest is cut off")
    {
        std::filesystem::resize_file(path, 1000);
    }
    SECTION("the newest is altered")
    {
        std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(3000).put('x');
    }
    SECTION("the newest holds no state to go on from")
    {
        forge(path, first_value("state/velocity", infinity));
    }
    write_checkpoint(path, known_checkpoint(3), known_run_info());
    CHECK(bytes_of(previous_checkpoint(path)) == spare);
    CHECK(read_checkpoint(path).checkpoint.state.step == 30);
    write_checkpoint(path, known_checkpoint(4), known_run_info());
    CHECK(read_checkpoint(previous_checkpoint(path)).checkpoint.state.step == 30);
}

TEST_CASE("a state that is no number is not written, and the checkpoint before stays")
{
    TemporaryDirectory const directory;
    auto const path = directory / "c.h5";
    write_checkpoint(path, known_checkpoint(1), known_run_info());
    std::string const before = bytes_of(path);
    Checkpoint wrong = known_checkpoint(2);
    wrong.state.force[3].y = not_a_number;
    CHECK(mentions(message_of<IoError>([&] { write_checkpoint(path, wrong, known_run_info()); }),
                   "particle 7 has a force"));
    CHECK(bytes_of(path) == before);
    CHECK_FALSE(std::filesystem::exists(previous_checkpoint(path)));
}
