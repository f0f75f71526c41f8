#include <fmt/format.h>

#include <algorithm>
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

/// A sample is long enough that the clock and the one wait at its end do not show.
constexpr double sample_seconds = 0.02;
constexpr std::int64_t most_times = 2000;

struct Candidate
{
    std::string path;
    Config config;
    std::unique_ptr<Backend> backend;
    std::int64_t times = 1;                  ///< evaluations in a sample
    std::vector<double> anew, again, added;  ///< seconds an evaluation [round]
    MeltForceError error, error_again;
    double neighbors = 0.0;  ///< within the cutoff, a particle
};

std::unique_ptr<Backend> loaded(Config const& config, State const& state)
{
    auto backend = make_backend(config, say);
    backend->load(state);
    return backend;
}

/// The liquid that every path is given.
State melt(MeltOptions const& options, std::int64_t particles)
{
    Config const config = melt_config(options, particles, "gather");
    require_memory(config, initial_particle_count(config), initial_box(config),
                   StartMemory::to_be_taken);
    State state = make_initial_state(config);
    auto const backend = loaded(config, state);
    backend->advance(options.warm_up);
    backend->save(state);
    return state;
}

double seconds_each(Backend& backend, std::int64_t times, Reuse reuse)
{
    auto const start = std::chrono::steady_clock::now();
    backend.recompute_forces(times, reuse);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
           static_cast<double>(times);
}

/// Whether an evaluation anew does more than forces: chunks are reordered, or an exact list pruned.
bool prepares(Candidate const& candidate)
{
    bool const chunked = candidate.backend->report().path == ForcePath::reordered;
    return chunked || (candidate.config.neighbor.rebuild == Rebuild::every_step &&
                       candidate.config.neighbor.skin > 0.0);
}

Candidate prepare(MeltOptions const& options, State const& liquid, ReferenceForces const& reference,
                  std::string const& path)
{
    Candidate candidate;
    candidate.path = path;
    candidate.config = melt_config(options, liquid.particle_count(), path);
    candidate.backend = loaded(candidate.config, liquid);
    Backend& backend = *candidate.backend;
    // Every pair within the cutoff, once.
    std::vector<std::uint64_t> pairs(1, 0);
    backend.count_pairs(pairs);
    candidate.neighbors =
        2.0 * static_cast<double>(pairs[0]) / static_cast<double>(liquid.particle_count());
    seconds_each(backend, 2, Reuse::none);
    candidate.times = std::clamp(
        static_cast<std::int64_t>(sample_seconds / seconds_each(backend, 2, Reuse::none)),
        std::int64_t{1}, most_times);
    State state = liquid;
    backend.save(state);
    candidate.error = force_error(reference, state);
    // Chunks may be packed where a step's own rows never are.
    backend.recompute_forces(1, Reuse::valid);
    backend.save(state);
    candidate.error_again = force_error(reference, state);
    return candidate;
}

void measure(Candidate& candidate)
{
    Backend& backend = *candidate.backend;
    candidate.anew.push_back(seconds_each(backend, candidate.times, Reuse::none));
    if (prepares(candidate))
    {
        // What a step leaves behind may be no chunk: filled outside the sample.
        backend.recompute_forces(1, Reuse::valid);
        candidate.again.push_back(seconds_each(backend, candidate.times, Reuse::valid));
        candidate.added.push_back(candidate.anew.back() - candidate.again.back());
    }
}

void add_row(BenchReport& report, MeltOptions const& options, Candidate const& candidate,
             std::string const& what, std::vector<double> const& seconds,
             MeltForceError const& error)
{
    BackendReport const run = candidate.backend->report();
    std::int64_t const particles = initial_particle_count(candidate.config);
    Timing const timing = timing_of(seconds);
    double const pairs = static_cast<double>(particles) * candidate.neighbors;
    double const each = 1e9 * timing.median / pairs;
    Json details = {{"particles", particles},
                    {"path", candidate.path},
                    {"chosen_path", name_of(run.path)},
                    {"part", what},
                    {"precision", options.precision},
                    {"format", options.format},
                    {"rebuild", options.rebuild},
                    {"skin", options.skin},
                    {"lanes", run.lanes},
                    {"chunk_particles", options.chunk_particles},
                    {"streams", options.streams},
                    {"device", run.device},
                    {"density", 0.8442},
                    {"cutoff", 2.5},
                    {"evaluations", candidate.times},
                    {"neighbors_per_particle", candidate.neighbors},
                    {"nanoseconds_per_neighbor", each},
                    {"force_error_rms", error.rms},
                    {"force_error_largest", error.largest}};
    report.add(fmt::format("{} {}: {}", particles, candidate.path, what), timing,
               std::move(details),
               fmt::format("{:8.3g} ns/neighbor  force error {:.1e}, largest {:.1e}", each,
                           error.rms, error.largest));
}

void add_rows(BenchReport& report, MeltOptions const& options, Candidate const& candidate)
{
    if (candidate.again.empty())
    {
        add_row(report, options, candidate, "forces", candidate.anew, candidate.error);
        return;
    }
    bool const chunked = candidate.backend->report().path == ForcePath::reordered;
    add_row(report, options, candidate, chunked ? "reorder and forces" : "exact list and forces",
            candidate.anew, candidate.error);
    add_row(report, options, candidate, chunked ? "forces on valid chunks" : "forces",
            candidate.again, candidate.error_again);
    add_row(report, options, candidate,
            chunked ? "reorder, by difference" : "exact list, by difference", candidate.added,
            candidate.error);
}

}  // namespace

int bench_force(MeltOptions const& options)
{
    BenchReport report("force", describe_host());
    report.heading(fmt::format(
        "one evaluation of forces at fixed positions of the melt: density 0.8442, cutoff 2.5, {} "
        "precision; outer lists of skin {} stay as they are, one wait a sample",
        options.precision, options.skin));
    for (std::int64_t const particles : options.counts)
    {
        State const liquid = melt(options, particles);
        ReferenceForces const reference =
            reference_forces(melt_config(options, particles, "gather"), liquid, 64);
        std::vector<Candidate> candidates;
        for (std::string const& path : options.paths)
        {
            candidates.push_back(prepare(options, liquid, reference, path));
        }
        // Alternated, so that a machine that slows down slows all alike.
        for (int sample = 0; sample < options.repeats; ++sample)
        {
            std::for_each(candidates.begin(), candidates.end(), measure);
        }
        for (Candidate const& candidate : candidates)
        {
            add_rows(report, options, candidate);
        }
    }
    report.write(options.json);
    return 0;
}

}  // namespace tessera
