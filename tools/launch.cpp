#include "tools/launch.hpp"

#include <fmt/core.h>

#include <csignal>
#include <string>
#include <utility>

#include "engine/backend.hpp"
#include "io/progress.hpp"
#include "io/run_id.hpp"
#include "io/standard_streams.hpp"
#include "io/yaml.hpp"
#include "tools/run_files.hpp"
#include "tools/run_paths.hpp"
#include "tools/start_state.hpp"
#include "tools/summary.hpp"

namespace tessera
{
namespace
{

volatile std::sig_atomic_t stop_signal = 0;

void request_stop(int signal)
{
    stop_signal = signal;
}

/// The first signal asks the run to stop; the handler then steps aside, so that a second one kills.
void watch_signals()
{
    struct sigaction action = {};
    action.sa_handler = request_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A file-size limit then fails the write, with a message, instead of killing the run.
    std::signal(SIGXFSZ, SIG_IGN);
    // Likewise a closed pipe fails a print of the table, which nobody reads any more.
    std::signal(SIGPIPE, SIG_IGN);
}

RunInfo make_run_info(Config const& config, BackendReport const& report, std::string run_id)
{
    RunInfo info;
    info.run_id = std::move(run_id);
    info.resolved_yaml = to_yaml(config);
    info.seed = config.system.seed;
    info.device = report.device;
    info.version = TESSERA_VERSION;
    info.build = TESSERA_BUILD;
    info.random_numbers = "Random123 Philox4x32-10, keyed (seed; id, purpose)";
    return info;
}

void say_ending(Launch const& launch, RunFiles const& files, State const& state)
{
    char const* const why = stop_signal != 0 ? "on request" : "at the wall-time limit";
    std::string const next = files.checkpoint().empty()
                                 ? "no checkpoint was asked for, so it cannot be resumed"
                                 : fmt::format("checkpoint saved; go on with: tessera resume {}",
                                               files.checkpoint().string());
    say(fmt::format("stopped {} at step {} of {}; {}", why, state.step, launch.last_step, next));
}

}  // namespace

int launch(Launch launch)
{
    watch_signals();
    check_run_paths(launch);
    refuse_overlaps(launch.config, launch.checkpoint.state);
    std::int64_t const particles = launch.checkpoint.state.particle_count();
    std::string const run_id = launch.earlier ? launch.earlier->info.run_id
                                              : make_run_id(launch.config, launch.checkpoint.state);
    Simulation simulation(launch.config, std::move(launch.checkpoint), launch.beginning,
                          make_backend(launch.config, say));
    // What `auto` chose is what a resumed run must do again.
    launch.config.force.path = simulation.report().path;
    RunFiles files(launch, simulation.state(), simulation.rdf(),
                   make_run_info(launch.config, simulation.report(), run_id));

    Ending ending = Ending::finished;
    {
        ProgressLine const progress(particles);
        Hooks hooks = files.hooks(progress);
        hooks.stop_requested = [] {
            return stop_signal != 0;
        };
        ending = simulation.run(launch.last_step, hooks);
    }
    files.close(simulation.rdf());
    if (!launch.summary.empty())
    {
        write_summary(launch.summary, launch.config, simulation);
    }
    if (!launch.quiet)
    {
        print_summary(simulation);
    }
    if (ending == Ending::stopped)
    {
        say_ending(launch, files, simulation.state());
        return 3;
    }
    return 0;
}

}  // namespace tessera
