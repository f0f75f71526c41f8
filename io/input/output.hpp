#pragma once
/// The key `output`: which files a run writes, and how often.

#include <optional>
#include <string_view>

#include "engine/config/config.hpp"
#include "io/yaml/reader.hpp"

namespace tessera
{

/// Reads a time such as 2h or 90 [s], if the key is there.
void read_duration(MapReader& map, std::string_view key, std::optional<double>& seconds);

/// `node` is the value of `output`, or nothing: the thermo table is shown even if no file is asked
/// for. What is wrong goes to `faults`.
OutputConfig read_output(YamlPointer node, Faults& faults);

}  // namespace tessera
