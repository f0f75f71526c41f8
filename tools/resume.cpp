#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/errors.hpp"
#include "io/checkpoint.hpp"
#include "io/yaml.hpp"
#include "tools/input_fault.hpp"
#include "tools/launch.hpp"
#include "tools/verbs.hpp"

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

/// The folder that the run's output files are relative to, from where its checkpoint lies.
std::filesystem::path output_dir_of(std::filesystem::path const& checkpoint, Config const& config)
{
    std::filesystem::path folder = checkpoint;
    if (!config.output.checkpoint || config.output.checkpoint->file.is_absolute())
    {
        return {};
    }
    for (auto const& part : config.output.checkpoint->file)
    {
        (void)part;
        folder = folder.parent_path();
    }
    return folder;
}

/// g(r) is a sum: what was sampled before cannot be taken out of it, nor put into it.
void refuse_other_samples(LoadedCheckpoint const& loaded, Config const& config,
                          std::string const& checkpoint)
{
    auto const before = parse_input(loaded.resolved_yaml, checkpoint, {}).config.output.rdf;
    std::int64_t const step = loaded.checkpoint.state.step;
    bool const changed = before && config.output.rdf && before->start != config.output.rdf->start;
    if (changed && config.output.rdf->start <= step)
    {
        throw ConfigError(
            fmt::format("output.rdf.start: was {} in the run so far, which is at step {}; keep it, "
                        "or give a step after {}",
                        before->start, step, step));
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
        fmt::print(stderr, "tessera: {}\n", loaded.notice);
    }
    Launch start;
    start.config = parse_input(loaded.resolved_yaml, options.checkpoint, options.overrides).config;
    refuse_other_samples(loaded, start.config, options.checkpoint);
    start.checkpoint = std::move(loaded.checkpoint);
    start.beginning = Beginning::resumed;
    std::int64_t const step = start.checkpoint.state.step;
    start.last_step =
        last_step_after(start.checkpoint.state,
                        options.steps.value_or(start.config.run.steps - step), start.config.run.dt);
    if (start.last_step <= step)
    {
        throw ConfigError(fmt::format(
            "{}: the run is complete at step {}: no steps are left; give --steps N for N more",
            options.checkpoint, step));
    }
    // What a stopped run leaves undone is known by its checkpoint alone.
    start.config.run.steps = std::max(start.config.run.steps, start.last_step);
    start.output_dir = options.output_dir ? std::filesystem::path(*options.output_dir)
                                          : output_dir_of(options.checkpoint, start.config);
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
