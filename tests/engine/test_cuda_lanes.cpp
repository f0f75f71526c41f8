/// Any number of GPU threads a particle, on systems for which the number of particles alone would
/// choose another, and forces computed again. Exits 77 (skipped) where there is no GPU.

#include <cmath>
#include <cstring>
#include <optional>

#include "engine/cuda/cuda.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/need_gpu.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

/// Shaken hard, so that particles have neighbors of many distances.
State shaken(Config const& config, int cells)
{
    return liquid(config, cells, 1.0, 0.12);
}

}  // namespace

TEST_CASE("any number of lanes equals brute force, below and above the search through cells")
{
    // 500, 4000 and 10976 particles: one lane with the search that tries every pair, sixteen with
    // the search through cells.
    for (int const cells : {5, 10, 14})
    {
        Config const config = lennard_jones_config();
        System const system{std::to_string(cells) + "^3 cells", config, shaken(config, cells)};
        Reference const reference = brute_force(config, system.state, bins);
        for (Variant const& variant : variants())
        {
            for (int const lanes : {1, 2, 4, 8, 16})
            {
                auto const with_lanes = [&](Config wanted) {
                    wanted.force.lanes = lanes;
                    return on_device(wanted);
                };
                INFO(lanes << " lanes");
                check_against_reference(with_lanes, variant, system, reference);
            }
        }
    }
}

TEST_CASE("forces are those of the present positions after many steps with any number of lanes")
{
    for (int const cells : {8, 14})
    {
        Config config = lennard_jones_config(2.5, Truncation::force_shifted);
        Config exact = config;
        exact.force = {ForcePath::gather, Precision::double_};
        exact.neighbor = {Rebuild::every_step, 0.0};
        State const start = shaken(config, cells);
        for (ForcePath const path : {ForcePath::gather, ForcePath::reordered, ForcePath::shoc})
        {
            for (int const lanes : {1, 2, 4, 8, 16})
            {
                for (Precision const precision : {Precision::double_, Precision::mixed})
                {
                    INFO(lanes << " lanes, path " << static_cast<int>(path) << ", precision "
                               << static_cast<int>(precision) << ", " << cells << " cells");
                    config.force = {path, precision, lanes};
                    // 60 steps at T 1 move particles beyond half a skin of 0.3 several times.
                    State const moved = after(config, start, 60);
                    // The last digits of positions depend on the order of sums, so each state has
                    // its own reference. Packed displacements are off by 1e-6 an axis, |dF/dr| is
                    // about 14 F / r: 2e-5 of pair forces larger than their sum. Positions that
                    // stood still for a step would be off by 5e-3.
                    double const tolerance = precision == Precision::double_ ? 1e-12 : 1e-4;
                    State fresh = moved;
                    fresh.list_position.clear();
                    CHECK(relative_difference(moved, after(exact, fresh, 0)) < tolerance);
                }
            }
        }
    }
}

TEST_CASE("the path shoc has one lane, and says so where more are asked for")
{
    Config config = lennard_jones_config();
    State const start = shaken(config, 5);
    for (ForcePath const path : {ForcePath::gather, ForcePath::reordered, ForcePath::shoc})
    {
        config.force = {path, Precision::mixed, 4};
        auto const backend = on_device(config);
        backend->load(start);
        bool const shoc = path == ForcePath::shoc;
        CHECK(backend->report().lanes == (shoc ? 1 : 4));
        CHECK(notices.size() == (shoc ? 1U : 0U));
    }
}

TEST_CASE("forces computed again are the same to the bit, and the cache says from what")
{
    for (int const cells : {8, 14})
    {
        for (ForcePath const path : {ForcePath::gather, ForcePath::reordered, ForcePath::shoc})
        {
            for (std::optional<std::int64_t> const chunk :
                 {std::optional<std::int64_t>{}, std::optional<std::int64_t>{1024}})
            {
                Config config = lennard_jones_config();
                config.force.path = path;
                config.reorder.chunk_particles = chunk;
                State const start = shaken(config, cells);
                auto const backend = on_device(config);
                backend->load(start);
                backend->advance(7);
                State before = start;
                backend->save(before);
                CacheCounters const was = backend->report().cache;
                std::int64_t const particles = start.particle_count();
                std::int64_t const chunks = path != ForcePath::reordered ? 0
                                            : chunk                      ? (particles + 1023) / 1024
                                                                         : 1;
                // Steps with chunks of no given size leave none behind: the first use fills them.
                std::int64_t const left = chunk ? chunks : 0;
                backend->recompute_forces(2, Reuse::valid);
                CacheCounters const now = backend->report().cache;
                CHECK(now.misses == was.misses + chunks - left);
                CHECK(now.hits == was.hits + 2 * chunks);
                State from_chunks = start;
                backend->save(from_chunks);
                CHECK(relative_difference(from_chunks, before) < 1e-4);
                backend->recompute_forces(3, Reuse::none);
                INFO("path " << static_cast<int>(path) << ", " << particles << " particles");
                CHECK(backend->report().cache.misses == now.misses + 3 * chunks);
                State again = start;
                backend->save(again);
                CHECK(std::memcmp(before.force.data(), again.force.data(),
                                  before.force.size() * sizeof(Vec3<double>)) == 0);
                backend->advance(5);
                backend->save(again);
                State const straight = after(config, start, 12);
                CHECK(std::memcmp(straight.position.data(), again.position.data(),
                                  again.position.size() * sizeof(Vec3<double>)) == 0);
            }
        }
    }
}

TEST_CASE("the memory forecast knows the lanes")
{
    Config config = lennard_jones_config();
    auto const list_bytes = [&](std::optional<int> lanes) {
        config.force.lanes = lanes;
        for (auto const& [name, bytes] : forecast_cuda_memory(config, 1'000'000, cube(105.8)))
        {
            if (name == "neighbor list")
            {
                return bytes;
            }
        }
        return std::int64_t{0};
    };
    CHECK(list_bytes(1) == list_bytes({}));
    // Sixteen rows a particle pad sixteen times.
    CHECK(list_bytes(16) > list_bytes(1));
}
