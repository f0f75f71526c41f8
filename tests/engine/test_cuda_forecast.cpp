#include <cstdlib>
#include <string>

#include "engine/backend/forecast.hpp"
#include "engine/cuda/cuda.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/need_gpu.hpp"
#include "tests/support/support.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

std::int64_t bytes_of(ArrayBytes const& arrays, std::string const& name)
{
    for (auto const& [array, bytes] : arrays)
    {
        if (array == name)
        {
            return bytes;
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("a GPU run takes the memory that was forecast, array by array")
{
    Config config = lennard_jones_config();
    config.force.path = GENERATE(ForcePath::reordered, ForcePath::gather, ForcePath::shoc);
    config.neighbor.skin = GENERATE(0.0, 0.3);
    config.force.precision = GENERATE(Precision::mixed, Precision::double_);
    // Searched by every pair; by cells, and with 8-byte positions.
    int const cells = GENERATE(10, 30);
    State const state = liquid(config, cells);
    ArrayBytes const found = loaded(config, state)->report().bytes;
    ArrayBytes const expected = forecast_cuda_memory(config, state.particle_count(), state.box);
    for (char const* const name :
         {"particles", "encoded positions", "neighbor list", "exact list", "column list", "chunks"})
    {
        CAPTURE(name);
        CHECK(bytes_of(found, name) == bytes_of(expected, name));
    }
}

TEST_CASE("path auto on a GPU keeps only what the path that it chose needs")
{
    Config config = lennard_jones_config();
    config.force.path = ForcePath::automatic;
    State const state = liquid(config, 12);
    auto const backend = loaded(config, state);
    BackendReport const report = backend->report();
    if (report.path != ForcePath::reordered)
    {
        CHECK(bytes_of(report.bytes, "chunks") == 0);
    }
    backend->advance(3);
    MemoryForecast const device =
        forecast_cuda(config, state.particle_count(), state.box, StartMemory::taken).back();
    CHECK(device.place == "cuda:0");
    CHECK(device.room.bytes > 0);
    CHECK(device.room.bytes < std::int64_t{1} << 40);  // what the card has, not "no limit"
}
