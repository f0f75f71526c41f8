#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "io/input/input.hpp"
#include "tools/run/launch.hpp"
#include "tools/run/paths.hpp"
#include "tools/run/start_state.hpp"
#include "tools/verb/input_options.hpp"
#include "tools/verb/verbs.hpp"

namespace tessera
{
namespace
{

struct RunOptions : InputOptions
{
    std::string output_dir, device, summary;
    bool quiet = false;
};

int run(RunOptions options)
{
    if (!options.device.empty())
    {
        options.overrides.push_back("device=" + options.device);
    }
    Launch start;
    Input input = load_input(options.input, options.overrides);
    check_file_names(input.config);
    check_trajectory_name(input.config);
    start.checkpoint.state = make_start(input);
    start.config = std::move(input.config);
    start.last_step =
        last_step_after(start.checkpoint.state, start.config.run.steps, start.config.run.dt);
    start.input = options.input;
    start.overwrite = start.config.output.overwrite;
    start.output_dir = options.output_dir;
    start.summary = options.summary;
    start.quiet = options.quiet;
    return launch(std::move(start));
}

}  // namespace

void add_run(CLI::App& app, int& exit_code)
{
    auto const options = std::make_shared<RunOptions>();
    CLI::App* const verb = app.add_subcommand("run", "Run a simulation from a YAML input");
    options->add_to(*verb);
    verb->add_option("--output-dir", options->output_dir, "Where output files go");
    verb->add_option("--device", options->device, "auto, cpu, cuda or cuda:N");
    verb->add_option("--summary", options->summary, "Write a JSON summary of the run");
    verb->add_flag("--quiet", options->quiet, "No table and no progress line");
    verb->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace tessera
