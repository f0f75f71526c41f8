#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/standard_streams.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/input/input.hpp"
#include "io/input/resume_rules.hpp"
#include "tools/run/launch.hpp"
#include "tools/run/paths.hpp"
#include "tools/run/unfinished.hpp"
#include "tools/verb/input_fault.hpp"
#include "tools/verb/verbs.hpp"

namespace tessera
{
namespace
{

struct ResumeOptions
{
    std::string checkpoint, device, summary;
    std::optional<std::string> output_dir;
    std::optional<std::int64_t> steps;
    std::vector<std::string> overrides;
    bool quiet = false;
};

/// The same folder as it would be written from here.
std::filesystem::path from_here(std::filesystem::path const& folder, bool absolute)
{
    std::filesystem::path const here = std::filesystem::current_path();
    std::filesystem::path const normal =
        absolute ? folder.lexically_normal() : folder.lexically_proximate(here);
    return normal == "." ? std::filesystem::path() : normal;
}

/// The folder that the run's output files are relative to, from where its checkpoint really lies.
std::filesystem::path output_dir_of(EarlierRun const& earlier)
{
    std::filesystem::path folder = resolved(earlier.checkpoint).parent_path();
    bool const absolute = earlier.checkpoint.is_absolute();
    if (!earlier.info.output_dir.empty())
    {
        return from_here((folder / earlier.info.output_dir).lexically_normal(), absolute);
    }
    // older checkpoints tell no more than their own name in that folder
    auto const& checkpoint = earlier.config.output.checkpoint;
    if (!checkpoint || checkpoint->file.is_absolute())
    {
        return {};
    }
    std::filesystem::path const name = checkpoint->file.lexically_normal();
    if (*name.begin() == "..")
    {
        throw ConfigError(fmt::format(
            "{}: the run's checkpoint was {}, from which its folder of outputs does not follow; "
            "give --output-dir",
            earlier.checkpoint.string(), checkpoint->file.string()));
    }
    for (auto part = std::next(name.begin()); part != name.end(); ++part)
    {
        folder = folder.parent_path();
    }
    return from_here(folder, absolute);
}

/// g(r) is a sum: what was sampled before cannot be taken out of it, nor put into it.
void refuse_other_samples(Config const& earlier, Config const& config, std::int64_t step)
{
    auto const& before = earlier.output.rdf;
    bool const changed = before && config.output.rdf && before->start != config.output.rdf->start;
    if (changed && config.output.rdf->start <= step)
    {
        throw ConfigError(
            fmt::format("output.rdf.start: was {} in the run so far, which is at step {}; keep it, "
                        "or give a step after {}",
                        before->start, step, step));
    }
}

/// The input that the run goes on with. What `overwrite` allowed to a new run it does not allow to
/// this one, unless it is asked for again.
void configure(Launch& start, LoadedCheckpoint const& loaded, ResumeOptions const& options)
{
    EarlierRun& earlier = start.earlier.emplace();
    earlier.checkpoint = options.checkpoint;
    earlier.info = loaded.info;
    earlier.config = parse_input(loaded.resolved_yaml, options.checkpoint, {}).config;
    std::vector<std::string> overrides{"output.overwrite=false"};
    overrides.insert(overrides.end(), options.overrides.begin(), options.overrides.end());
    start.config = parse_input(loaded.resolved_yaml, options.checkpoint, overrides).config;
    start.overwrite = std::exchange(start.config.output.overwrite, earlier.config.output.overwrite);
    earlier.changes = changed_keys(earlier.config, start.config);
    refuse_other_run(earlier.changes);
    check_file_names(start.config);
}

/// Throws ConfigError if the state does not go with the input.
void check_state(Launch& start)
{
    State& state = start.checkpoint.state;
    std::string faults;
    for (Problem const& problem : check_box(start.config, state.box))
    {
        faults += (faults.empty() ? "" : "\n") + problem.key + ": " + problem.message;
    }
    if (!faults.empty())
    {
        throw ConfigError(faults);
    }
    // Lists of another radius do not hold at the positions that the earlier ones were built at.
    bool const other_lists = std::any_of(
        start.earlier->changes.begin(), start.earlier->changes.end(), [](ChangedKey const& change) {
            return change.key.starts_with("neighbor.") || change.key.starts_with("force.");
        });
    if (other_lists)
    {
        state.list_position.clear();
    }
}

int resume(ResumeOptions options)
{
    if (!options.device.empty())
    {
        options.overrides.push_back("device=" + options.device);
    }
    LoadedCheckpoint loaded = blame_input([&] { return read_checkpoint(options.checkpoint); });
    if (!loaded.notice.empty())
    {
        say(loaded.notice);
    }
    Launch start;
    configure(start, loaded, options);
    start.checkpoint = std::move(loaded.checkpoint);
    start.beginning = Beginning::resumed;
    std::int64_t const step = start.checkpoint.state.step;
    refuse_other_samples(start.earlier->config, start.config, step);
    check_state(start);
    start.last_step =
        last_step_after(start.checkpoint.state,
                        options.steps.value_or(start.config.run.steps - step), start.config.run.dt);
    start.output_dir = options.output_dir ? std::filesystem::path(*options.output_dir)
                                          : output_dir_of(*start.earlier);
    bool const files_lack = start.earlier->info.outputs_failed || lacks_rdf(start);
    if (start.last_step < step || (start.last_step == step && !files_lack))
    {
        throw ConfigError(fmt::format(
            "{}: the run is complete at step {}: no steps are left; give --steps N for N more",
            options.checkpoint, step));
    }
    // What a stopped run leaves undone is known by its checkpoint alone.
    start.config.run.steps = std::max(start.config.run.steps, start.last_step);
    start.summary = options.summary;
    start.quiet = options.quiet;
    return launch(std::move(start));
}

}  // namespace

void add_resume(CLI::App& app, int& exit_code)
{
    auto const options = std::make_shared<ResumeOptions>();
    CLI::App* const verb =
        app.add_subcommand("resume", "Go on from a checkpoint, continuing its output files");
    verb->add_option("checkpoint", options->checkpoint, "The checkpoint file")->required();
    verb->add_option("--steps", options->steps, "Steps to run; default: those that were left")
        ->check(CLI::PositiveNumber);
    verb->add_option("--set", options->overrides, "Override a key of the run's input")
        ->take_all()
        ->expected(1);
    verb->add_option("--output-dir", options->output_dir,
                     "Where the run's files are; default: where they were");
    verb->add_option("--device", options->device, "auto, cpu, cuda or cuda:N");
    verb->add_option("--summary", options->summary, "Write a JSON summary of this part of the run");
    verb->add_flag("--quiet", options->quiet, "No table and no progress line");
    verb->callback([options, &exit_code] { exit_code = resume(*options); });
}

}  // namespace tessera
