#include "tools/run/launch.hpp"

#include <fmt/core.h>

#include <string>
#include <utility>

#include "engine/devices.hpp"
#include "engine/start/start_check.hpp"
#include "io/files/progress.hpp"
#include "io/files/standard_streams.hpp"
#include "io/input/input.hpp"
#include "io/input/run_id.hpp"
#include "tools/run/files.hpp"
#include "tools/run/paths.hpp"
#include "tools/run/signals.hpp"
#include "tools/run/start_state.hpp"
#include "tools/run/summary.hpp"

namespace tessera
{
namespace
{

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

/// Says how a stopped run ended. Returns the exit code: 3 promises a checkpoint.
int say_stopped(Launch const& launch, RunFiles const& files, State const& state)
{
    char const* const why = stop_requested() ? "on request" : "at the wall-time limit";
    std::string const by = stop_requested() ? fmt::format(" ({})", stop_signal_name()) : "";
    std::string const next =
        files.checkpoint().empty()
            ? "no checkpoint was asked for, so nothing is saved and it cannot be resumed"
            : fmt::format("checkpoint saved; go on with: tessera resume {}",
                          files.checkpoint().string());
    say(fmt::format("stopped {} at step {} of {}{}; {}", why, state.step, launch.last_step, by,
                    next));
    return files.checkpoint().empty() ? 1 : 3;
}

}  // namespace

int launch(Launch launch)
{
    let_writes_fail();
    check_run_paths(launch);
    require_machine(launch.config, launch.checkpoint.state.particle_count(),
                    launch.checkpoint.state.box, StartMemory::taken);
    refuse_unfit_start(launch.config, launch.checkpoint.state);
    std::int64_t const particles = launch.checkpoint.state.particle_count();
    std::string const run_id = launch.earlier ? launch.earlier->info.run_id
                                              : make_run_id(launch.config, launch.checkpoint.state);
    Simulation simulation(launch.config, std::move(launch.checkpoint), launch.beginning,
                          make_backend(launch.config, say));
    // What `auto` chose is what a resumed run must do again.
    launch.config.force.path = simulation.report().path;
    RunFiles files(launch, simulation.state(), simulation.rdf(),
                   make_run_info(launch.config, simulation.report(), run_id));
    if (launch.beginning == Beginning::fresh)
    {
        for (std::string const& notice :
             notices_of_start(simulation.state(), simulation.first_observables()))
        {
            say(notice);
        }
    }

    Ending ending = Ending::finished;
    {
        ProgressLine const progress(particles);
        Hooks hooks = files.hooks(progress);
        hooks.stop_requested = stop_requested;
        watch_stop_signals();
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
        return say_stopped(launch, files, simulation.state());
    }
    return 0;
}

}  // namespace tessera
