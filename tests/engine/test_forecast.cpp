
#include <sys/resource.h>

#include <cmath>
#include <numeric>
#include <string>

#include "engine/config/errors.hpp"
#include "engine/cpu/backend.hpp"
#include "engine/cpu/forecast.hpp"
#include "engine/devices.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/sanitizer.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;
using Catch::Matchers::Contains;

namespace
{

State liquid(Config const& config)
{
    Box box;
    auto positions = fcc_positions({12, 12, 12}, 0.8442, 0.05, 3, box.edges);
    return state_at(config, box, std::move(positions));
}

std::int64_t sum(ArrayBytes const& arrays)
{
    return std::accumulate(
        arrays.begin(), arrays.end(), std::int64_t{0},
        [](std::int64_t bytes, auto const& array) { return bytes + array.second; });
}

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

ArrayBytes taken(Config const& config, State const& state)
{
    auto const backend = make_cpu_backend(config, [](std::string const&) {});
    backend->load(state);
    return backend->report().bytes;
}

}  // namespace

TEST_CASE("a CPU run takes the memory that was forecast, array by array")
{
    Config config = lennard_jones_config();
    config.force.path = GENERATE(ForcePath::reordered, ForcePath::gather, ForcePath::shoc);
    config.force.precision = GENERATE(Precision::mixed, Precision::double_, Precision::single);
    config.reorder.format = GENERATE(ChunkFormat::packed, ChunkFormat::plain);
    config.neighbor.rebuild = GENERATE(Rebuild::every_step, Rebuild::on_displacement);
    config.neighbor.skin = GENERATE(0.0, 0.3);
    if (config.neighbor.skin == 0.0 && config.neighbor.rebuild == Rebuild::on_displacement)
    {
        return;  // no such mode
    }
    State const state = liquid(config);
    ArrayBytes const found = taken(config, state);
    ArrayBytes const expected = forecast_cpu_memory(config, state.particle_count(), state.box);
    // What is laid out for a run is laid out from the same numbers.
    for (char const* const name : {"encoded positions", "neighbor list", "exact list", "chunks"})
    {
        CAPTURE(name);
        CHECK(bytes_of(found, name) == bytes_of(expected, name));
    }
    // Cells come on top, as many as fit into this box.
    CHECK(std::abs(sum(found) - sum(expected)) <= sum(expected) / 20);
}

TEST_CASE("path auto keeps only what the path that it chose needs, and is forecast at its most")
{
    Config config = lennard_jones_config();
    config.force.path = ForcePath::automatic;
    State const state = liquid(config);
    auto const backend = make_cpu_backend(config, [](std::string const&) {});
    backend->load(state);
    BackendReport const report = backend->report();
    CHECK(sum(report.bytes) <= sum(forecast_cpu_memory(config, state.particle_count(), state.box)));
    config.force.path = report.path;
    ArrayBytes const chosen = forecast_cpu_memory(config, state.particle_count(), state.box);
    for (char const* const name : {"neighbor list", "exact list", "chunks"})
    {
        CAPTURE(name);
        CHECK(bytes_of(report.bytes, name) == bytes_of(chosen, name));
    }
    // Forces are right after the others' memory is gone.
    backend->advance(3);
    CHECK(std::isfinite(backend->sample().potential_energy));
}

TEST_CASE("a run that does not fit is refused with what it needs and what would need less")
{
    Config config = lennard_jones_config();
    config.force.path = ForcePath::reordered;
    Box box;
    box.edges = {1680.0, 1680.0, 1680.0};
    std::string const message = message_of<ConfigError>(
        [&] { require_memory(config, 2'000'000'000, box, StartMemory::to_be_taken); });
    for (char const* const part : {"2000000000 particles", "state", "neighbor list", "chunks",
                                   "force.path: gather", "free on this machine"})
    {
        CHECK_THAT(message, Contains(part));
    }
    CHECK_THAT(message, !Contains("checkpoint"));
    config.output.checkpoint.emplace();
    CHECK_THAT(message_of<ConfigError>(
                   [&] { require_memory(config, 2'000'000'000, box, StartMemory::taken); }),
               Contains("checkpoint") && !Contains("state"));
    box.edges = {17.0, 17.0, 17.0};
    CHECK_NOTHROW(require_memory(config, 4000, box, StartMemory::to_be_taken));
}

TEST_CASE("a backend refuses to load what does not fit, before it takes anything")
{
    if (has_address_sanitizer)
    {
        return;
    }
    Config const config = lennard_jones_config();
    State const state = liquid(config);
    auto const backend = make_cpu_backend(config, [](std::string const&) {});
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
    rlimit limit = before;
    limit.rlim_cur = 1 << 20;  // less than the process has
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    std::string const message = message_of<ConfigError>([&] { backend->load(state); });
    REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
    CHECK_THAT(message, Contains("ulimit -v"));
    CHECK_NOTHROW(backend->load(state));
}
