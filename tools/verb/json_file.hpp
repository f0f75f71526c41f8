#pragma once
/// The JSON files that the command line writes: summaries of runs, rows of measurements.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera
{

/// Throws ConfigError, naming `key`, unless JSON may be written to `path`: it is new, a device or a
/// pipe, or an earlier file of this kind, which is known by the members `marks`; with `overwrite`
/// any regular file. Changes nothing. An empty path is none.
void check_json_way(std::string const& key, std::filesystem::path const& path,
                    std::vector<std::string> const& marks, bool overwrite);

/// Throws IoError, naming `key`; what was there is then as it was.
void write_json(std::string const& key, std::filesystem::path const& path,
                nlohmann::ordered_json const& json, int indent);

}  // namespace tessera
