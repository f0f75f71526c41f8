#pragma once

#include "engine/config/config.hpp"
#include "engine/start/start_file.hpp"

namespace tessera
{

/// What the file that a run starts from says: .h5 or .h5md (a trajectory of io/h5md/trajectory.hpp
/// or of another program, or a checkpoint), .xyz or .extxyz, .data or .lmp.
///
/// Throws IoError on files that cannot be read, do not make sense or hold what would be dropped;
/// ConfigError on an unknown extension and a frame that is not there.
StartFile read_start_file(FileConfig const& file);

}  // namespace tessera
