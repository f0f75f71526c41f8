#pragma once
/// `tessera bench NAME`: measurements, never tests. Each prints a table and, if asked, writes JSON.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace CLI
{
class App;
}

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

/// Each runs one benchmark and returns the exit code. Throw ConfigError where the build has no
/// CUDA or the machine no GPU that they need.
int bench_shoc(BenchOptions const& options);
int bench_copy(BenchOptions const& options);
int bench_reorder(BenchOptions const& options);
/// Counts on the host, with no GPU; on one it also launches each kernel once, to be counted by a
/// profiler.
int bench_transactions(BenchOptions const& options);

/// Adds the verb `bench` to the command line; its callback stores the exit code.
void add_bench(CLI::App& app, int& exit_code);

}  // namespace tessera
