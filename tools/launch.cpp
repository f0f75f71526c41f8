#include "tools/launch.hpp"

#include <fmt/core.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend.hpp"
#include "engine/errors.hpp"
#include "io/checkpoint.hpp"
#include "io/h5md.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "io/rdf_file.hpp"
#include "io/thermo_log.hpp"
#include "io/yaml.hpp"
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

RunInfo make_run_info(Config const& config, BackendReport const& report)
{
    RunInfo info;
    info.resolved_yaml = to_yaml(config);
    info.seed = config.system.seed;
    info.device = report.device;
    info.version = TESSERA_VERSION;
    info.build = TESSERA_BUILD;
    info.random_numbers = "Random123 Philox4x32-10, keyed (seed; id, purpose)";
    return info;
}

std::filesystem::path in(std::filesystem::path const& folder, std::filesystem::path const& file)
{
    return folder.empty() || file.empty() ? file : folder / file;
}

void make_output_dir(std::filesystem::path const& folder)
{
    std::error_code error;
    if (!folder.empty())
    {
        std::filesystem::create_directories(folder, error);
    }
    if (error)
    {
        throw ConfigError(fmt::format("--output-dir {}: cannot be made: {}; choose another folder",
                                      folder.string(), error.message()));
    }
}

/// Throws IoError if a file of a fresh run could not be made; before that nothing is made or
/// removed, so that a fault of one file spares the others.
void check_ways(Launch const& launch)
{
    OutputConfig const& output = launch.config.output;
    std::vector<std::filesystem::path> files;
    if (output.trajectory)
    {
        files.push_back(output.trajectory->file);
    }
    if (output.thermo)
    {
        files.push_back(output.thermo->file);
    }
    if (output.checkpoint)
    {
        files.push_back(output.checkpoint->file);
        files.push_back(previous_checkpoint(output.checkpoint->file));
    }
    if (output.rdf)
    {
        files.push_back(output.rdf->file);
    }
    for (std::filesystem::path const& file : files)
    {
        if (!file.empty())
        {
            check_way(in(launch.output_dir, file), output.overwrite);
        }
    }
}

/// The files of a run, opened before the first step so that a fault costs nothing.
struct Outputs
{
    std::optional<TrajectoryWriter> trajectory;
    std::optional<ThermoLog> thermo;
    std::filesystem::path checkpoint, rdf;
    RunInfo info;
    bool trajectory_failed = false;
};

/// Throws ConfigError, since nothing has been run yet: the input asks for files that cannot be
/// made.
Outputs open_outputs(Launch const& launch, State const& state, RunInfo info)
{
    OutputConfig const& output = launch.config.output;
    bool const fresh = launch.beginning == Beginning::fresh;
    auto const table = launch.quiet ? ThermoLog::Table::hide : ThermoLog::Table::show;
    Outputs outputs;
    outputs.info = std::move(info);
    try
    {
        if (fresh)
        {
            check_ways(launch);
        }
        if (output.checkpoint)
        {
            outputs.checkpoint = in(launch.output_dir, output.checkpoint->file);
            if (fresh)
            {
                make_way_for_checkpoints(outputs.checkpoint, output.overwrite);
            }
        }
        if (output.trajectory)
        {
            auto const path = in(launch.output_dir, output.trajectory->file);
            outputs.trajectory.emplace(
                fresh ? TrajectoryWriter(
                            path, *output.trajectory, outputs.info, state, output.overwrite,
                            launch.config.potential.tail_correction ? TailColumns::present
                                                                    : TailColumns::absent)
                      : TrajectoryWriter::resume(path, *output.trajectory, state.step));
        }
        if (output.thermo)
        {
            auto const path = in(launch.output_dir, output.thermo->file);
            outputs.thermo.emplace(fresh ? ThermoLog(path, table, output.overwrite)
                                         : ThermoLog::resume(path, table, state.step));
        }
        if (output.rdf)
        {
            outputs.rdf = in(launch.output_dir, output.rdf->file);
            if (fresh)
            {
                make_way(outputs.rdf, output.overwrite);
            }
        }
    }
    catch (IoError const& error)
    {
        throw ConfigError(error.what());
    }
    return outputs;
}

Hooks make_hooks(Outputs& outputs, ProgressLine const& progress, bool quiet)
{
    Hooks hooks;
    if (outputs.trajectory)
    {
        hooks.trajectory = [&](Frame const& frame) {
            outputs.trajectory_failed = true;
            outputs.trajectory->write(frame);
            outputs.trajectory_failed = false;
        };
    }
    if (outputs.thermo)
    {
        hooks.thermo = [&](Observables const& row) {
            outputs.thermo->write(row);
            if (outputs.trajectory)
            {
                outputs.trajectory_failed = true;
                outputs.trajectory->append_thermo(row);
                outputs.trajectory_failed = false;
            }
        };
    }
    if (!outputs.checkpoint.empty())
    {
        hooks.checkpoint = [&](Checkpoint const& checkpoint) {
            if (outputs.trajectory && !outputs.trajectory_failed)
            {
                outputs.trajectory_failed = true;
                outputs.trajectory->flush();
                outputs.trajectory_failed = false;
            }
            write_checkpoint(outputs.checkpoint, checkpoint, outputs.info);
            if (!outputs.rdf.empty() && checkpoint.rdf.samples > 0)
            {
                write_rdf_file(outputs.rdf, checkpoint.rdf);
            }
        };
    }
    if (!quiet)
    {
        hooks.progress = [&](Progress const& state) {
            progress.update(state);
        };
    }
    hooks.stop_requested = [] {
        return stop_signal != 0;
    };
    return hooks;
}

void close_outputs(Outputs& outputs, Rdf const& rdf)
{
    if (!outputs.rdf.empty() && rdf.samples == 0)
    {
        std::fputs(fmt::format("tessera: {} is not written: no step from output.rdf.start on was "
                               "sampled\n",
                               outputs.rdf.string())
                       .c_str(),
                   stderr);
    }
    else if (!outputs.rdf.empty())
    {
        write_rdf_file(outputs.rdf, rdf);
        std::vector<double> const value = rdf.value();
        if (outputs.trajectory && !value.empty())
        {
            outputs.trajectory->write_rdf(rdf.radius(), value);
        }
    }
    if (outputs.trajectory)
    {
        outputs.trajectory->close();
    }
    if (outputs.thermo)
    {
        outputs.thermo->close();
    }
}

void say_ending(Launch const& launch, Outputs const& outputs, State const& state)
{
    char const* const why = stop_signal != 0 ? "on request" : "at the wall-time limit";
    std::string const next = outputs.checkpoint.empty()
                                 ? "no checkpoint was asked for, so it cannot be resumed"
                                 : fmt::format("checkpoint saved; go on with: tessera resume {}",
                                               outputs.checkpoint.string());
    std::fputs(fmt::format("tessera: stopped {} at step {} of {}; {}\n", why, state.step,
                           launch.last_step, next)
                   .c_str(),
               stderr);
}

}  // namespace

int launch(Launch launch)
{
    watch_signals();
    make_output_dir(launch.output_dir);
    if (!launch.summary.empty())
    {
        require_writable_summary(launch.summary);
    }
    refuse_overlaps(launch.config, launch.checkpoint.state);
    std::int64_t const particles = launch.checkpoint.state.particle_count();
    auto const notify = [](std::string const& message) {
        clear_progress_line();
        std::fputs(fmt::format("tessera: {}\n", message).c_str(), stderr);
    };
    Simulation simulation(launch.config, std::move(launch.checkpoint), launch.beginning,
                          make_backend(launch.config, notify));
    // What `auto` chose is what a resumed run must do again.
    launch.config.force.path = simulation.report().path;
    if (launch.beginning == Beginning::fresh)
    {
        for (std::string const& notice :
             notices_of_start(simulation.state(), simulation.first_observables()))
        {
            notify(notice);
        }
    }
    Outputs outputs =
        open_outputs(launch, simulation.state(), make_run_info(launch.config, simulation.report()));

    Ending ending = Ending::finished;
    {
        ProgressLine const progress(particles);
        ending = simulation.run(launch.last_step, make_hooks(outputs, progress, launch.quiet));
    }
    close_outputs(outputs, simulation.rdf());
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
        say_ending(launch, outputs, simulation.state());
        return 3;
    }
    return 0;
}

}  // namespace tessera
