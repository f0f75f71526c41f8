#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend.hpp"
#include "engine/initial.hpp"
#include "io/enum_names.hpp"
#include "io/yaml.hpp"
#include "tools/bench.hpp"
#include "tools/bench_report.hpp"

namespace tessera
{
namespace
{

using Json = nlohmann::ordered_json;

/// The Lennard-Jones melt of about `particles` particles, as an input would give it.
Config melt_config(StepOptions const& options, std::int64_t particles, std::string const& path)
{
    auto const cells =
        std::max<std::int64_t>(3, std::llround(std::cbrt(static_cast<double>(particles) / 4.0)));
    std::string const text = fmt::format(
        "system:\n"
        "  lattice: {{type: fcc, cells: [{0}, {0}, {0}], density: 0.8442}}\n"
        "  temperature: 1.44\n"
        "  seed: 87287\n"
        "potential: {{cutoff: 2.5, truncation: {1}, pairs: [{{species: [A, A], epsilon: 1, sigma: "
        "1}}]}}\n"
        "neighbor: {{rebuild: {2}, skin: {3}}}\n"
        "force: {{path: {4}, precision: {5}}}\n"
        "reorder: {{format: {6}, chunk_particles: {7}, streams: {8}}}\n"
        "run: {{steps: 0, dt: 0.005}}\n"
        "device: {9}\n"
        "threads: {10}\n",
        cells, "sharp", options.rebuild, options.skin, path, options.precision, options.format,
        options.chunk_particles > 0 ? std::to_string(options.chunk_particles) : "auto",
        options.streams, options.device,
        options.threads > 0 ? std::to_string(options.threads) : "auto");
    return parse_input(text, "bench step", {}).config;
}

/// The largest and the rms error of forces against every pair in double, over `samples` particles,
/// relative to the rms force.
struct ForceError
{
    double rms = 0.0, largest = 0.0;
};

ForceError force_error(Config const& config, State const& state, std::int64_t samples)
{
    double const cutoff_sq = config.potential.cutoff * config.potential.cutoff;
    std::int64_t const count = state.particle_count();
    std::int64_t const stride = std::max<std::int64_t>(1, count / samples);
    ForceError error;
    double force_sq = 0.0;
    std::int64_t taken = 0;
    for (std::int64_t i = 0; i < count; i += stride, ++taken)
    {
        Vec3<double> force{};
        for (std::int64_t j = 0; j < count; ++j)
        {
            auto const d = minimum_image(state.position[static_cast<std::size_t>(i)] -
                                             state.position[static_cast<std::size_t>(j)],
                                         state.box);
            double const r_sq = dot(d, d);
            if (j != i && r_sq < cutoff_sq)
            {
                double const inv_r6 = 1.0 / (r_sq * r_sq * r_sq);
                force += (24.0 * inv_r6 * (2.0 * inv_r6 - 1.0) / r_sq) * d;
            }
        }
        auto const difference = state.force[static_cast<std::size_t>(i)] - force;
        error.rms += dot(difference, difference);
        error.largest = std::max(error.largest, std::sqrt(dot(difference, difference)));
        force_sq += dot(force, force);
    }
    double const rms_force = std::sqrt(force_sq / static_cast<double>(taken));
    return {std::sqrt(error.rms / static_cast<double>(taken)) / rms_force,
            error.largest / rms_force};
}

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
    candidate.backend = make_backend(candidate.config, [](std::string const& message) {
        fmt::print(stderr, "tessera: {}\n", message);
    });
    candidate.backend->load(make_initial_state(candidate.config));
    // The crystal melts in these steps: what is timed is the liquid.
    candidate.backend->advance(options.warm_up);
    return candidate;
}

void add_row(BenchReport& report, StepOptions const& options, Candidate& candidate)
{
    State state = make_initial_state(candidate.config);
    candidate.backend->save(state);
    ForceError const error = force_error(candidate.config, state, 64);
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
