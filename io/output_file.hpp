#pragma once

#include <filesystem>

namespace tessera
{

/// Throws IoError unless a new file can be made at `path`: its folder is there and may be written
/// to, and a file that is there may be replaced: `overwrite` is set, and no other process holds its
/// lock. Changes nothing.
void check_way(std::filesystem::path const& path, bool overwrite);

/// Checks the way, then removes what is there. Throws IoError.
void make_way(std::filesystem::path const& path, bool overwrite);

}  // namespace tessera
