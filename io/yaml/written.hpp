#pragma once
/// How an input spells values, so that they read back to the same. Empty: there is none.

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/yaml/device_name.hpp"
#include "io/yaml/enum_names.hpp"

namespace tessera
{

/// In quotes unless it reads back as text without.
std::string written(std::string const& text);

inline std::string written(std::filesystem::path const& path)
{
    return written(path.string());
}

inline std::string written(DeviceConfig const& device)
{
    return format_device(device);
}

/// Doubles in the fewest digits that round-trip.
template <class T>
requires std::is_arithmetic_v<T> std::string written(T value)
{
    return fmt::format("{}", value);
}

template <class E>
requires std::is_enum_v<E> std::string written(E value)
{
    return std::string(name_of(value));
}

template <class T>
std::string written(std::optional<T> const& value)
{
    return value ? written(*value) : std::string();
}

template <class T>
std::string written(std::vector<T> const& values)
{
    std::string text;
    for (T const& value : values)
    {
        text += (text.empty() ? "" : ", ") + written(value);
    }
    return "[" + text + "]";
}

template <class T>
std::string written(Vec3<T> const& values)
{
    return written(std::vector<T>{values.x, values.y, values.z});
}

}  // namespace tessera
