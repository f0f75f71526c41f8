/// What the CUDA backend's chunks promise: the cache, windows, 8-byte positions. Exits 77 (skipped)
/// where there is no GPU.

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdio>

#include "engine/cuda/cuda.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/need_gpu.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("chunks are consumed again while positions stay")
{
    Config config = lennard_jones_config();
    config.reorder.chunk_particles = 1024;
    State const start = liquid(config, 13);
    auto const backend = loaded(config, start);
    std::int64_t const chunks = (8788 + 1023) / 1024;
    CHECK(backend->report().cache.misses == chunks);
    backend->sample();
    std::vector<std::uint64_t> pairs(10, 0);
    backend->count_pairs(pairs);
    // Energies, neighbor counts and pair counts.
    CHECK(backend->report().cache.hits == 3 * chunks);
    CHECK(backend->report().mean_neighbors == Approx(55.0).epsilon(0.05));
    // The shells of a crystal shaken this little stay apart: 54 neighbors, and no more within
    // reach.
    CHECK(backend->report().max_neighbors >= 54);
    backend->advance(3);
    CHECK(backend->report().cache.misses >= 4 * chunks);
    // Streams and windows change nothing in the result.
    State const many = after(config, start, 30);
    for (int const streams : {1, 3})
    {
        config.reorder.streams = streams;
        CHECK(same_bytes(many, after(config, start, 30)));
    }
    config.reorder.chunk_particles = 8800;
    CHECK(same_bytes(many, after(config, start, 30)));
}

TEST_CASE("the timeline shows every chunk reordered before it is consumed, each stream in order")
{
    Config config = lennard_jones_config();
    config.reorder.chunk_particles = 1024;
    config.reorder.streams = 2;
    auto const backend = loaded(config, liquid(config, 13));
    backend->advance(40);
    std::vector<ChunkSpan> const timeline = backend->report().timeline;
    std::size_t const chunks = (8788 + 1023) / 1024;
    REQUIRE(timeline.size() == 2 * chunks);
    std::vector<double> reordered(chunks, -1.0);
    std::vector<double> stream_end(3, 0.0);
    for (ChunkSpan const& span : timeline)
    {
        CHECK(span.end > span.begin);
        CHECK(span.begin >= stream_end.at(static_cast<std::size_t>(span.stream)));
        stream_end[static_cast<std::size_t>(span.stream)] = span.end;
        auto const chunk = static_cast<std::size_t>(span.chunk);
        if (span.stage == ChunkSpan::Stage::reorder)
        {
            CHECK(span.stream == 1 + span.chunk % 2);
            reordered.at(chunk) = span.end;
        }
        else
        {
            CHECK(span.stream == 0);
            CHECK(reordered.at(chunk) > 0.0);
            CHECK(span.end > reordered[chunk]);
        }
    }
}

TEST_CASE("rows on the chip leave no chunk: a sample reorders once for all its consumers")
{
    Config const config = lennard_jones_config();  // chunk_particles: auto
    State const start = liquid(config, 13);
    auto const backend = loaded(config, start);
    CHECK(backend->report().cache.misses == 1);
    backend->sample();
    std::vector<std::uint64_t> pairs(10, 0);
    backend->count_pairs(pairs);
    // The chunk is filled for the sample; energies, neighbor counts, the second question whether it
    // is there, and pair counts find it.
    CHECK(backend->report().cache.misses == 2);
    CHECK(backend->report().cache.hits == 4);
    backend->advance(1);
    CHECK(backend->report().cache.invalidations >= 1);
    CHECK(backend->report().cache.misses >= 3);
    // Sampling between steps changes nothing, nor does timing: their chunks are for them alone.
    State sampled = start;
    auto const often = loaded(config, start);
    for (int step = 0; step < 30; ++step)
    {
        often->advance(1);
        often->sample();
    }
    often->save(sampled);
    CHECK(same_bytes(sampled, after(config, start, 30)));
}

TEST_CASE("chunks that do not fit take turns in smaller windows, with the same result")
{
    Config config = lennard_jones_config();
    config.reorder.chunk_particles = 65536;
    State const start = liquid(config, 34, 1.0, 0.1);
    State const roomy = after(config, start, 12);
    std::int64_t others = 0;
    std::int64_t chunks = 0;
    for (auto const& [name, bytes] :
         forecast_cuda_memory(config, start.particle_count(), start.box))
    {
        (name == "chunks" ? chunks : others) += bytes;
    }
    std::size_t free = 0;
    std::size_t total = 0;
    REQUIRE(cudaMemGetInfo(&free, &total) == cudaSuccess);
    // Room for all else, twice over for growth and the allocator's grain, and a third of the
    // chunks.
    auto const room = static_cast<std::size_t>(2 * others + chunks / 3);
    REQUIRE(free > room);
    void* hog = nullptr;
    REQUIRE(cudaMalloc(&hog, free - room) == cudaSuccess);
    auto const backend = loaded(config, start);
    backend->advance(12);
    State tight = start;
    backend->save(tight);
    std::int64_t used = 0;
    for (auto const& [name, bytes] : backend->report().bytes)
    {
        used += name == "chunks" ? bytes : 0;
    }
    Sample const sample = backend->sample();
    REQUIRE(cudaFree(hog) == cudaSuccess);
    CHECK(used > 0);
    CHECK(used < chunks);
    CHECK(same_bytes(tight, roomy));
    CHECK(sample.potential_energy == loaded(config, tight)->sample().potential_energy);
}

TEST_CASE("large systems, whose chunks come from 8-byte positions, agree with double")
{
    Config config = lennard_jones_config();
    State start = liquid(config, 34, 1.0, 0.1);
    auto const fast = loaded(config, start);
    State forces = start;
    fast->save(forces);
    config.force = {ForcePath::gather, Precision::double_};
    auto const exact = loaded(config, start);
    State expected = start;
    exact->save(expected);
    double const error = relative_difference(forces, expected);
    // A displacement is off by 1e-6 rms an axis (a step of 3e-6 for each end and of 2.4e-6 for the
    // packing, over sqrt 12), |dF/dr| is about 14 F / r: 2e-5 of a pair force, and some 60 random
    // signs against a sum that is itself smaller than its largest terms.
    CHECK(error < 6e-5);
    std::printf("8-byte positions: relative rms force error %.2e\n", error);
    CHECK(fast->sample().potential_energy ==
          Approx(exact->sample().potential_energy).epsilon(1e-6));
    CHECK(same_bytes(after(lennard_jones_config(), start, 20),
                     after(lennard_jones_config(), after(lennard_jones_config(), start, 9), 11)));
}
