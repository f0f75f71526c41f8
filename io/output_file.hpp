#pragma once

#include <filesystem>

namespace tessera
{

/// Makes `path` free for a new file: refuses an existing one unless `overwrite`, and then removes
/// it, unless another process holds its lock. Throws IoError.
void make_way(std::filesystem::path const& path, bool overwrite);

}  // namespace tessera
