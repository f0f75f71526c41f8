#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/config/config.hpp"

namespace tessera
{

/// auto, cpu, cuda or cuda:N, also as --device takes it; empty for anything else.
std::optional<DeviceConfig> parse_device(std::string_view text);
std::string format_device(DeviceConfig const& device);

}  // namespace tessera
