#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/start/start_file.hpp"
#include "io/h5md/read.hpp"

namespace tessera
{

/// A frame of a trajectory as a start: positions, boundary, and species with names and masses as
/// the file has them.
///
/// Species of files of other programs are the numbers that occur, with the names that an
/// enumeration gives them; all particles of one must have the same mass. Refused, since it would be
/// dropped: particles in further groups, charges other than 0, and /connectivity. Further elements
/// are noticed. Throws IoError.
StartFile read_h5md_frame(TrajectoryReader const& reader, std::filesystem::path const& path,
                          std::int64_t frame);

/// The state of a checkpoint, or of the one before it, with a notice, if it is damaged. Throws
/// IoError.
StartFile read_checkpoint_start(std::filesystem::path const& path);

}  // namespace tessera
