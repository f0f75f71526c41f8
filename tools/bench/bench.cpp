#include "tools/bench/bench.hpp"

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "io/yaml/device_name.hpp"
#include "tools/bench/report.hpp"
#include "tools/verb/verbs.hpp"

namespace tessera
{
namespace
{

struct Benchmark
{
    char const* name;
    char const* about;
    int (*run)(BenchOptions const&);
};

constexpr Benchmark benchmarks[] = {
    {"shoc", "force kernels on the problem of SHOC's MD benchmark", bench_shoc},
    {"reorder", "reordering on the GPU against all CPU cores", bench_reorder},
    {"copy", "copies by 4, 8 and 16 bytes a thread", bench_copy},
    {"transactions", "memory sectors a neighbor, by path", bench_transactions}};

void add_melt_options(CLI::App& verb, MeltOptions& options)
{
    verb.add_option("-n,--particles", options.counts, "Particles; several make several runs")
        ->check(CLI::PositiveNumber);
    verb.add_option("--path", options.paths, "reordered, gather, shoc or auto; several alternate")
        ->check(CLI::IsMember({"reordered", "gather", "shoc", "auto"}));
    verb.add_option("--precision", options.precision, "mixed, double or single")
        ->check(CLI::IsMember({"mixed", "double", "single"}));
    verb.add_option("--format", options.format, "Chunk format: packed or float")
        ->check(CLI::IsMember({"packed", "float"}));
    verb.add_option("--rebuild", options.rebuild, "every_step or on_displacement")
        ->check(CLI::IsMember({"every_step", "on_displacement"}));
    verb.add_option("--skin", options.skin, "Extra list radius");
    verb.add_option("--chunk-particles", options.chunk_particles, "Particles of a chunk; 0: auto");
    verb.add_option("--streams", options.streams, "Reorder streams");
    verb.add_option("--lanes", options.lanes, "GPU threads a particle; 0: auto");
    verb.add_option("--device", options.device, "auto, cpu, cuda or cuda:N")
        ->check([](std::string const& text) -> std::string {
            return parse_device(text) ? "" : text + " is no device; give auto, cpu, cuda or cuda:N";
        });
    verb.add_option("--threads", options.threads, "CPU threads; 0: all");
    verb.add_option("--warm-up", options.warm_up, "Steps before the first sample");
    verb.add_option("--repeat", options.repeats, "Timed samples")->check(CLI::PositiveNumber);
    verb.add_option("--json", options.json, "Write the rows to this file");
}

void add_step(CLI::App& bench, int& exit_code)
{
    auto const options = std::make_shared<StepOptions>();
    CLI::App* const verb = bench.add_subcommand("step", "Whole steps of the Lennard-Jones melt");
    add_melt_options(*verb, *options);
    verb->add_option("--steps", options->steps, "Steps in a sample")->check(CLI::PositiveNumber);
    verb->callback([options, &exit_code] {
        check_report_way(options->json);
        exit_code = bench_step(*options);
    });
}

void add_force(CLI::App& bench, int& exit_code)
{
    auto const options = std::make_shared<MeltOptions>();
    CLI::App* const verb =
        bench.add_subcommand("force", "Forces alone, at fixed positions of the melt");
    add_melt_options(*verb, *options);
    verb->callback([options, &exit_code] {
        check_report_way(options->json);
        exit_code = bench_force(*options);
    });
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code)
{
    CLI::App* const bench = app.add_subcommand("bench", "Measure kernels");
    bench->require_subcommand(1);
    add_step(*bench, exit_code);
    add_force(*bench, exit_code);
    auto const options = std::make_shared<BenchOptions>();
    std::map<std::string, BenchPrecision> const precisions{{"single", BenchPrecision::single},
                                                           {"double", BenchPrecision::double_},
                                                           {"both", BenchPrecision::both}};
    for (Benchmark const& benchmark : benchmarks)
    {
        CLI::App* const verb = bench->add_subcommand(benchmark.name, benchmark.about);
        verb->add_option("-n,--particles", options->counts, "Atoms; several make several runs")
            ->check(CLI::Range(std::int64_t{129}, std::int64_t{16} << 20));
        verb->add_option("--precision", options->precision, "single, double or both")
            ->transform(CLI::CheckedTransformer(precisions, CLI::ignore_case));
        verb->add_option("--repeat", options->repeats, "Timed samples")
            ->check(CLI::Range(1, 100000));
        verb->add_option("--batch", options->batch, "Iterations in a sample")
            ->check(CLI::Range(1, 10000));
        verb->add_option("--json", options->json, "Write the rows to this file");
        verb->callback([options, &exit_code, run = benchmark.run] {
            check_report_way(options->json);
            exit_code = run(*options);
        });
    }
}

}  // namespace tessera
