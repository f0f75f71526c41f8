#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/simulation.hpp"
#include "io/files/file_lock.hpp"
#include "io/files/output_file.hpp"
#include "io/files/progress.hpp"
#include "io/h5md/trajectory.hpp"
#include "io/table/thermo_log.hpp"
#include "tools/run/launch.hpp"
#include "tools/run/paths.hpp"

namespace tessera
{

/// The files that a run writes, locked and opened before its first step so that a fault costs
/// nothing.
class RunFiles
{
public:
    /// Everything is looked at before anything is made, cut or removed. `state` and `rdf` are those
    /// of the start. Throws ConfigError, since nothing has been run yet.
    RunFiles(Launch const& launch, State const& state, Rdf const& rdf, RunInfo info);

    /// What the simulation calls; this object must outlive it.
    Hooks hooks(ProgressLine const& progress);

    /// Writes g(r) and closes. Throws IoError.
    void close(Rdf const& rdf);

    std::filesystem::path const& checkpoint() const
    {
        return paths_.checkpoint;
    }

private:
    void begin(Launch const& launch, State const& state);
    void go_on(Launch const& launch, State const& state, Rdf const& rdf);
    void begin_trajectory(Launch const& launch, State const& state);
    void write_frame(Frame const& frame);
    void write_row(Observables const& row);
    void save(Checkpoint const& checkpoint);

    RunPaths paths_;
    RunInfo info_;
    bool quiet_;
    MadeFolder folder_;
    std::vector<FileLock> locks_;
    std::optional<TrajectoryWriter> trajectory_;
    std::optional<FileWatch> trajectory_watch_;
    std::optional<ThermoLog> thermo_;
    /// What failed is left as it is; the others go on to be saved.
    bool trajectory_failed_ = false, thermo_failed_ = false;
};

}  // namespace tessera
