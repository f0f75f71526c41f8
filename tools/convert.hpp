#pragma once

#include <filesystem>
#include <string>

namespace tessera
{

/// `tessera convert`: writes a trajectory or checkpoint as text. `format` is xyz (all frames),
/// lammpstrj (all frames) or data (the last frame); an empty `output` is `path` with that format as
/// its extension. An existing file is not replaced. Returns the exit code 0.
///
/// Throws ConfigError on another format, a file that cannot be read or an output that cannot be
/// made, IoError while writing.
int run_convert(std::filesystem::path const& path, std::string const& format,
                std::filesystem::path output);

}  // namespace tessera
