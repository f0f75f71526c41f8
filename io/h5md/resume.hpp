#pragma once
/// What a trajectory must be to be gone on with, looked at without changing it.

#include <cstdint>
#include <filesystem>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"
#include "io/files/run_info.hpp"
#include "io/table/columns.hpp"

namespace tessera::hdf5
{

/// Throws IoError unless the file has the layout of io/h5md/trajectory.hpp, the fields of `config`,
/// in every series the frames that it counts, and the end of what is kept if it goes on after
/// `last_step`.
void check_continuable(std::filesystem::path const& path, TrajectoryConfig const& config,
                       std::int64_t last_step);

/// Throws IoError if the file is of other particles than `state`, of another run (by the run id
/// where both have one, else by the seed), or of other quantities than a run from `state` has:
/// pressures where there is a volume, and what `quantities` has besides.
void check_same_run(std::filesystem::path const& path, State const& state, RunInfo const& info,
                    Observables const& quantities);

}  // namespace tessera::hdf5
