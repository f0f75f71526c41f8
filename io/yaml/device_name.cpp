#include "io/yaml/device_name.hpp"

#include <fmt/format.h>

#include "io/yaml/scalars.hpp"

namespace tessera
{

std::optional<DeviceConfig> parse_device(std::string_view text)
{
    if (text == "auto")
    {
        return DeviceConfig{DeviceType::automatic, 0};
    }
    if (text == "cpu")
    {
        return DeviceConfig{DeviceType::cpu, 0};
    }
    if (text == "cuda")
    {
        return DeviceConfig{DeviceType::cuda, 0};
    }
    if (!text.starts_with("cuda:"))
    {
        return std::nullopt;
    }
    std::optional<std::int64_t> const index = parse_integer(text.substr(5)).value;
    if (!index || *index < 0 || *index > 1023)
    {
        return std::nullopt;
    }
    return DeviceConfig{DeviceType::cuda, static_cast<int>(*index)};
}

std::string format_device(DeviceConfig const& device)
{
    switch (device.type)
    {
        case DeviceType::automatic:
            return "auto";
        case DeviceType::cpu:
            return "cpu";
        case DeviceType::cuda:
            return device.index == 0 ? "cuda" : fmt::format("cuda:{}", device.index);
    }
    return {};
}

}  // namespace tessera
