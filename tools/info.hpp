#pragma once

#include <filesystem>

namespace tessera
{

/// `tessera info`: prints what a trajectory or checkpoint holds, how it was made and whether it is
/// complete. Returns the exit code: 0, or 1 if a trajectory has frames that were not committed.
/// Throws ConfigError on a file that it cannot read.
int run_info(std::filesystem::path const& path);

}  // namespace tessera
