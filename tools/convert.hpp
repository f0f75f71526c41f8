#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tessera
{

/// Which frames of a file are converted, by number from 0.
struct FrameChoice
{
    /// A number, "first" or "last"; excludes the others. Empty: all, or the last for data.
    std::string frame = {};
    std::optional<std::int64_t> from = std::nullopt, to = std::nullopt;  ///< both inclusive
    std::int64_t every = 1;                                              ///< > 0
};

/// `tessera convert`: writes frames of a trajectory, or a checkpoint, as text. `format` is xyz,
/// lammpstrj or data (one frame); an empty `output` is `path` with that format as its extension. An
/// existing file is not replaced. Returns the exit code 0.
///
/// What the file has no value of (images, velocities, masses) is left out. Throws ConfigError on
/// another format, frames that are not there, a file that cannot be read or an output that cannot
/// be made, IoError while writing.
int run_convert(std::filesystem::path const& path, std::string const& format,
                std::filesystem::path output, FrameChoice const& choice = {});

}  // namespace tessera
