#include "tools/run/files.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "engine/config/errors.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/standard_streams.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/table/rdf_file.hpp"
#include "io/table/thermo_rows.hpp"
#include "tools/verb/input_fault.hpp"

namespace tessera
{

namespace
{

namespace fs = std::filesystem;

bool is_there(fs::path const& path)
{
    std::error_code error;
    return fs::exists(fs::symlink_status(path, error));
}

/// Where the files are from the checkpoint, so that both can be moved together.
std::string relation(fs::path const& output_dir, fs::path const& checkpoint)
{
    fs::path const folder = resolved(output_dir.empty() ? "." : output_dir);
    return folder.lexically_relative(resolved(checkpoint).parent_path()).string();
}

/// Whether the run has written to this file before, by its name.
template <class Section>
bool same_name(std::optional<Section> const& before, std::optional<Section> const& now)
{
    return before && now && before->file.lexically_normal() == now->file.lexically_normal();
}

/// What a resumed run keeps of its thermo file; nothing if it begins one.
std::optional<KeptRows> rows_to_keep(Launch const& launch, fs::path const& path, State const& state)
{
    std::int64_t const last_step = state.step;
    OutputConfig const& before = launch.earlier->config.output;
    bool const named_before = same_name(before.thermo, launch.config.output.thermo);
    if (!is_there(path))
    {
        if (named_before)
        {
            say(fmt::format("{} is missing; it is begun anew, with the rows from step {}",
                            path.string(), last_step));
        }
        return std::nullopt;
    }
    std::optional<RowDigest> expected = launch.earlier->info.thermo_rows;
    if (!expected && !named_before)
    {
        // whatever it is, this run did not write it
        check_way(path, launch.overwrite, OutputKind::text);
        return std::nullopt;
    }
    try
    {
        return ThermoLog::check(path, quantities_of(launch.config, state.box), last_step, expected);
    }
    catch (IoError const&)
    {
        if (!launch.overwrite)
        {
            throw;
        }
        say(fmt::format("{} is replaced by one with the rows from step {}", path.string(),
                        last_step));
        return std::nullopt;
    }
}

/// Whether the trajectory is the run's, so that it is gone on with; false if it is begun.
bool goes_on(Launch const& launch, fs::path const& path, State const& state, RunInfo const& info)
{
    std::optional<TrajectoryConfig> const& now = launch.config.output.trajectory;
    if (!is_there(path) && !same_name(launch.earlier->config.output.trajectory, now))
    {
        return false;
    }
    try
    {
        TrajectoryWriter::check_resume(path, *now, state, info,
                                       quantities_of(launch.config, state.box));
        return true;
    }
    catch (IoError const&)
    {
        if (!launch.overwrite)
        {
            throw;
        }
        say(fmt::format("{} is begun anew, with the frames from step {}", path.string(),
                        state.step));
        return false;
    }
}

void check_own_rdf(Launch const& launch, fs::path const& path, Rdf const& rdf)
{
    bool const named_before =
        same_name(launch.earlier->config.output.rdf, launch.config.output.rdf);
    bool const ours = named_before && is_there(path) && is_rdf_file(path, rdf);
    check_way(path, launch.overwrite || ours, OutputKind::text);
}

}  // namespace

RunFiles::RunFiles(Launch const& launch, State const& state, Rdf const& rdf, RunInfo info)
    : paths_(run_paths(launch)),
      info_(std::move(info)),
      quiet_(launch.quiet),
      folder_(launch.output_dir)
{
    blame_input([&] {
        for (fs::path const& path : paths_.all())
        {
            if (!is_stream(path))
            {
                locks_.emplace_back(path);
            }
        }
        if (launch.beginning == Beginning::fresh)
        {
            begin(launch, state);
        }
        else
        {
            go_on(launch, state, rdf);
        }
    });
    if (!paths_.checkpoint.empty())
    {
        info_.output_dir = relation(launch.output_dir, paths_.checkpoint);
    }
    if (trajectory_)
    {
        trajectory_watch_.emplace(paths_.trajectory);
    }
    folder_.keep();
}

void RunFiles::begin_trajectory(Launch const& launch, State const& state)
{
    trajectory_.emplace(paths_.trajectory, *launch.config.output.trajectory, info_, state,
                        launch.overwrite, quantities_of(launch.config, state.box));
}

void RunFiles::begin(Launch const& launch, State const& state)
{
    bool const overwrite = launch.overwrite;
    if (!paths_.rdf.empty())
    {
        check_way(paths_.rdf, overwrite, OutputKind::text);
    }
    if (!paths_.thermo.empty())
    {
        check_way(paths_.thermo, overwrite, OutputKind::text);
    }
    if (!paths_.checkpoint.empty())
    {
        check_way(paths_.checkpoint, overwrite);
        check_way(previous_checkpoint(paths_.checkpoint), overwrite);
    }
    // The trajectory first: it is made aside, and what has its name is lost only when it is whole.
    bool const new_trajectory = !paths_.trajectory.empty() && !is_there(paths_.trajectory);
    if (!paths_.trajectory.empty())
    {
        begin_trajectory(launch, state);
    }
    try
    {
        if (launch.config.output.thermo)
        {
            thermo_.emplace(paths_.thermo, quiet_ ? ThermoLog::Table::hide : ThermoLog::Table::show,
                            overwrite);
        }
        if (!paths_.checkpoint.empty())
        {
            make_way_for_checkpoints(paths_.checkpoint, overwrite);
        }
        if (!paths_.rdf.empty())
        {
            make_way(paths_.rdf, overwrite, OutputKind::text);
        }
    }
    catch (IoError const&)
    {
        trajectory_.reset();
        std::error_code ignored;
        if (new_trajectory)
        {
            fs::remove(paths_.trajectory, ignored);
        }
        throw;
    }
}

void RunFiles::go_on(Launch const& launch, State const& state, Rdf const& rdf)
{
    OutputConfig const& now = launch.config.output;
    if (!paths_.checkpoint.empty())
    {
        check_own_checkpoints(launch, paths_.checkpoint);
    }
    if (!paths_.rdf.empty())
    {
        check_own_rdf(launch, paths_.rdf, rdf);
    }
    std::optional<KeptRows> kept;
    if (!paths_.thermo.empty())
    {
        kept = rows_to_keep(launch, paths_.thermo, state);
    }
    bool const keep_frames =
        !paths_.trajectory.empty() && goes_on(launch, paths_.trajectory, state, info_);
    if (!keep_frames && !paths_.trajectory.empty())
    {
        begin_trajectory(launch, state);
    }
    // Rows are cut before frames are dropped: no row is ever told whose frame is not there.
    if (now.thermo)
    {
        auto const table = quiet_ ? ThermoLog::Table::hide : ThermoLog::Table::show;
        thermo_ = kept ? ThermoLog::resume(paths_.thermo, table, *kept)
                       : ThermoLog(paths_.thermo, table, launch.overwrite);
    }
    if (keep_frames)
    {
        trajectory_ = TrajectoryWriter::resume(paths_.trajectory, *now.trajectory, state.step);
        if (kept && !is_stream(paths_.thermo))
        {
            // A trajectory whose disk failed has lost the rows that waited; the table has them.
            for_each_thermo_row(
                paths_.thermo, state.step, quantities_of(launch.config, state.box),
                [this](Observables const& row) { trajectory_->append_thermo(row); });
        }
        trajectory_->record_changes(list_changes(launch.earlier->changes, state.step));
    }
}

void RunFiles::write_frame(Frame const& frame)
{
    trajectory_failed_ = true;
    // before, since writing on would make up for what was cut
    trajectory_watch_->check();
    trajectory_->write(frame);
    trajectory_watch_->check();
    trajectory_failed_ = false;
}

void RunFiles::write_row(Observables const& row)
{
    thermo_failed_ = true;
    thermo_->write(row);
    thermo_failed_ = false;
    if (trajectory_)
    {
        trajectory_failed_ = true;
        trajectory_->append_thermo(row);
        trajectory_failed_ = false;
    }
    if (thermo_->table_failed() && paths_.all().empty())
    {
        throw IoError("standard output failed, and the run writes no file: nothing would be left");
    }
}

void RunFiles::save(Checkpoint const& checkpoint)
{
    // what the checkpoint tells of must be there as long as it is
    if (trajectory_ && !trajectory_failed_)
    {
        trajectory_failed_ = true;
        trajectory_->flush();
        trajectory_failed_ = false;
    }
    if (thermo_)
    {
        if (!thermo_failed_)
        {
            thermo_failed_ = true;
            thermo_->sync();
            thermo_failed_ = false;
        }
        info_.thermo_rows = thermo_->digest();
    }
    info_.outputs_failed = trajectory_failed_ || thermo_failed_;
    write_checkpoint(paths_.checkpoint, checkpoint, info_);
    // so that a kill loses no more of g(r) than of anything else
    if (!paths_.rdf.empty() && !is_stream(paths_.rdf) && checkpoint.rdf.samples > 0)
    {
        write_rdf_file(paths_.rdf, checkpoint.rdf);
    }
}

Hooks RunFiles::hooks(ProgressLine const& progress)
{
    Hooks hooks;
    if (trajectory_)
    {
        hooks.trajectory = [this](Frame const& frame) {
            write_frame(frame);
        };
    }
    if (thermo_)
    {
        hooks.thermo = [this](Observables const& row) {
            write_row(row);
        };
    }
    if (!paths_.checkpoint.empty())
    {
        hooks.checkpoint = [this](Checkpoint const& checkpoint) {
            save(checkpoint);
        };
    }
    if (!quiet_)
    {
        hooks.progress = [&progress](Progress const& state) {
            progress.update(state);
        };
    }
    return hooks;
}

void RunFiles::close(Rdf const& rdf)
{
    if (!paths_.rdf.empty() && rdf.samples == 0)
    {
        say(fmt::format("{} is not written: no step from output.rdf.start on was sampled",
                        paths_.rdf.string()));
    }
    else if (!paths_.rdf.empty())
    {
        write_rdf_file(paths_.rdf, rdf);
        std::vector<double> const value = rdf.value();
        if (trajectory_ && !value.empty())
        {
            trajectory_->write_rdf(rdf.radius(), value);
        }
    }
    if (trajectory_)
    {
        // before, since closing gives back the room that was taken ahead
        trajectory_watch_->check();
        trajectory_->close();
    }
    if (thermo_)
    {
        thermo_->close();
    }
}

}  // namespace tessera
