#pragma once

#include <filesystem>

namespace tessera
{

/// `tessera info`: prints what a trajectory or checkpoint holds, how it was made and whether it is
/// complete. Returns the exit code: 0, or 1 for one that is not whole: cut off, damaged, or with
/// frames that were not committed. Throws ConfigError on anything else.
int run_info(std::filesystem::path const& path);

}  // namespace tessera
