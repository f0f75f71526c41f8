#pragma once

#include <filesystem>

#include "engine/config.hpp"
#include "engine/state.hpp"

namespace tessera
{

/// The state a run starts from when the input names a file: .h5 or .h5md (a trajectory of
/// io/h5md.hpp or of another program, or a checkpoint), .xyz or .extxyz, .data or .lmp.
///
/// Ids ascend, the box has a corner at the origin and the input's boundaries, positions are
/// wrapped, step and time are 0, forces are zero; velocities are empty if the file has none.
/// Species are found by name in `system.species`, and by number where the file has numbers: type 1
/// of LAMMPS, and species 0 (or 1, if none is 0) of H5MD is the first. Names and masses are the
/// input's.
///
/// Along an open axis image * edge is added to the position.
///
/// Throws IoError on files that cannot be read or do not make sense; ConfigError on an unknown
/// extension, a frame that is not there, and species that the input does not have.
State read_start(FileConfig const& file, SystemConfig const& system);

}  // namespace tessera
