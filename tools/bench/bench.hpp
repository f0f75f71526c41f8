#pragma once
/// `tessera bench NAME`: measurements, never tests. Each prints a table and, if asked, writes JSON.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera
{

enum class BenchPrecision : std::uint8_t
{
    single,
    double_,
    both
};

struct BenchOptions
{
    std::vector<std::int64_t> counts;  ///< atoms; empty: the benchmark's own sizes
    BenchPrecision precision = BenchPrecision::both;
    int repeats = 30;            ///< timed samples, of which the median is shown
    int batch = 10;              ///< iterations in a sample
    std::filesystem::path json;  ///< empty: no JSON
};

/// The melt and how it is computed, for benchmarks of the engine.
struct MeltOptions
{
    std::vector<std::int64_t> counts{32000};  ///< particles, rounded to a cube of fcc cells
    std::vector<std::string> paths{"reordered", "gather", "shoc"};
    std::string precision = "mixed";
    std::string format = "packed";
    std::string rebuild = "every_step";
    double skin = 0.3;
    std::int64_t chunk_particles = 0;  ///< 0: auto
    int streams = 2;
    int lanes = 0;  ///< 0: auto
    std::string device = "auto";
    int threads = 0;             ///< 0: all
    std::int64_t warm_up = 200;  ///< steps before the first sample: the crystal melts
    int repeats = 5;             ///< samples, of which the median is shown
    std::filesystem::path json;
};

/// `bench step`: whole steps of the melt through a backend, any path.
struct StepOptions : MeltOptions
{
    std::int64_t steps = 100;  ///< in a sample
};

/// Each runs one benchmark and returns the exit code. Throw ConfigError where the build has no
/// CUDA or the machine no GPU that they need.
int bench_shoc(BenchOptions const& options);
int bench_step(StepOptions const& options);
/// Forces alone, at fixed positions of the melt, any path.
int bench_force(MeltOptions const& options);
int bench_copy(BenchOptions const& options);
int bench_reorder(BenchOptions const& options);
/// Counts on the host, with no GPU; on one it also launches each kernel once, to be counted by a
/// profiler.
int bench_transactions(BenchOptions const& options);

}  // namespace tessera
