#pragma once

#include <filesystem>
#include <vector>

#include "io/input/input.hpp"
#include "io/yaml/document.hpp"

namespace tessera
{

/// Where `input` starts from a file: finds it, reads it and takes into the config what it says.
/// `path` is that of the input. Returns what is wrong.
std::vector<Problem> read_start_of(YamlDocument const& document, std::filesystem::path const& path,
                                   Input& input);

}  // namespace tessera
