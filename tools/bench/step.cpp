#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/devices.hpp"
#include "engine/start/initial.hpp"
#include "io/files/standard_streams.hpp"
#include "io/yaml/enum_names.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/melt.hpp"
#include "tools/bench/report.hpp"

namespace tessera
{
namespace
{

using Json = nlohmann::ordered_json;

double peak_memory_bytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024.0;
}

struct Candidate
{
    std::string path;
    Config config;
    std::unique_ptr<Backend> backend;
    std::vector<double> seconds;
};

Candidate prepare(StepOptions const& options, std::int64_t particles, std::string const& path)
{
    Candidate candidate{path, melt_config(options, particles, path), nullptr, {}};
    candidate.backend = make_backend(candidate.config, say);
    require_memory(candidate.config, initial_particle_count(candidate.config),
                   initial_box(candidate.config), StartMemory::to_be_taken);
    candidate.backend->load(make_initial_state(candidate.config));
    // The crystal melts in these steps: what is timed is the liquid.
    candidate.backend->advance(options.warm_up);
    return candidate;
}

void add_row(BenchReport& report, StepOptions const& options, Candidate& candidate)
{
    State state = make_initial_state(candidate.config);
    candidate.backend->save(state);
    MeltForceError const error = force_error(reference_forces(candidate.config, state, 64), state);
    BackendReport const run = candidate.backend->report();
    auto const particles = static_cast<double>(state.particle_count());
    auto const steps = static_cast<double>(options.steps);
    Timing const timing = timing_of(candidate.seconds);
    double bytes = 0.0;
    for (auto const& [name, size] : run.bytes)
    {
        bytes += static_cast<double>(size);
    }
    double const rate = particles * steps / timing.median;
    Json details = {{"particles", state.particle_count()},
                    {"steps", options.steps},
                    {"path", candidate.path},
                    {"chosen_path", name_of(run.path)},
                    {"precision", options.precision},
                    {"format", options.format},
                    {"rebuild", options.rebuild},
                    {"skin", options.skin},
                    {"lanes", run.lanes},
                    {"device", run.device},
                    {"density", 0.8442},
                    {"cutoff", 2.5},
                    {"neighbors_per_particle", run.mean_neighbors},
                    {"rebuilds", run.rebuilds},
                    {"particle_steps_per_second", rate},
                    {"steps_per_second", steps / timing.median},
                    {"force_error_rms", error.rms},
                    {"force_error_largest", error.largest},
                    {"array_bytes_per_particle", bytes / particles},
                    {"peak_memory_bytes", peak_memory_bytes()},
                    {"hidden_reorder_share", run.hidden_reorder_share}};
    report.add(
        fmt::format("{} {}", state.particle_count(), candidate.path), timing, std::move(details),
        fmt::format(
            "{:10.4g} particle-steps/s {:9.4g} steps/s  force error {:.1e}  {:5.0f} B/particle",
            rate, steps / timing.median, error.rms, bytes / particles));
}

}  // namespace

int bench_step(StepOptions const& options)
{
    BenchReport report("step", describe_host());
    report.heading(
        fmt::format("whole steps of the melt: density 0.8442, cutoff 2.5, dt 0.005, {} precision, "
                    "{} with skin {}; "
                    "{} steps a sample",
                    options.precision, options.rebuild, options.skin, options.steps));
    for (std::int64_t const particles : options.counts)
    {
        std::vector<Candidate> candidates;
        for (std::string const& path : options.paths)
        {
            candidates.push_back(prepare(options, particles, path));
        }
        // Alternated, so that a machine that slows down slows all alike.
        for (int sample = 0; sample < options.repeats; ++sample)
        {
            for (Candidate& candidate : candidates)
            {
                auto const start = std::chrono::steady_clock::now();
                candidate.backend->advance(options.steps);
                candidate.seconds.push_back(
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
                        .count());
            }
        }
        for (Candidate& candidate : candidates)
        {
            add_row(report, options, candidate);
        }
    }
    report.write(options.json);
    return 0;
}

}  // namespace tessera
