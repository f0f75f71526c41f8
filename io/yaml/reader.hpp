#pragma once
/// Typed readings of the tree: what is asked for is known, what is not asked for is a fault.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/yaml/document.hpp"
#include "io/yaml/enum_names.hpp"
#include "io/yaml/nearest_name.hpp"

namespace tessera
{

using Faults = std::vector<Fault>;

/// Reads a value of the wanted type. False, with a fault, if the node is not one.
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, double& value);
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, std::int64_t& value);
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, std::uint64_t& value);
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, int& value);
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, bool& value);
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, std::string& value);
bool read_value(YamlNode const& node, std::string const& key, Faults& faults,
                std::filesystem::path& value);

/// Seconds with a unit (see parse_duration).
struct Duration
{
    double seconds = 0.0;
};
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, Duration& value);

/// The text of a scalar. False, with a fault that says `wanted`, for anything else.
bool read_scalar(YamlNode const& node, std::string const& key, Faults& faults,
                 std::string_view wanted, std::string& text);

/// True for a node of the wanted kind; a fault otherwise.
bool expect_kind(YamlNode const& node, std::string const& key, Faults& faults, NodeKind wanted);

/// Adds the fault of a name that is none of `names`.
void refuse_name(YamlNode const& node, std::string const& key, Faults& faults,
                 std::span<std::string_view const> names,
                 std::span<std::string_view const> unavailable);

template <class E>
requires requires
{
    EnumTable<E>::names;
}
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, E& value)
{
    std::string text;
    if (!read_scalar(node, key, faults, "a name", text))
    {
        return false;
    }
    std::vector<std::string_view> names;
    for (EnumName<E> const& entry : EnumTable<E>::names)
    {
        if (entry.name == text)
        {
            value = entry.value;
            return true;
        }
        names.push_back(entry.name);
    }
    refuse_name(node, key, faults, names, unavailable_names<E>());
    return false;
}

template <class T>
bool read_value(YamlNode const& node, std::string const& key, Faults& faults,
                std::optional<T>& value)
{
    T present{};
    if (!read_value(node, key, faults, present))
    {
        return false;
    }
    value = std::move(present);
    return true;
}

/// A list of any length.
template <class T>
bool read_value(YamlNode const& node, std::string const& key, Faults& faults,
                std::vector<T>& values)
{
    if (!expect_kind(node, key, faults, NodeKind::list))
    {
        return false;
    }
    values.clear();
    bool good = true;
    for (std::size_t index = 0; index < node.items.size(); ++index)
    {
        std::string const element = key + "." + std::to_string(index);
        good = read_value(*node.items[index], element, faults, values.emplace_back()) && good;
    }
    return good;
}

/// A list of exactly three.
template <class T>
bool read_value(YamlNode const& node, std::string const& key, Faults& faults, Vec3<T>& values)
{
    if (!expect_kind(node, key, faults, NodeKind::list))
    {
        return false;
    }
    if (node.items.size() != 3)
    {
        faults.push_back({node.position, key,
                          "has " + std::to_string(node.items.size()) +
                              " elements; one is needed for each of x, y and z"});
        return false;
    }
    bool good = true;
    for (int axis = 0; axis < 3; ++axis)
    {
        std::string const element = key + "." + std::to_string(axis);
        YamlNode const& item = *node.items[static_cast<std::size_t>(axis)];
        good = read_value(item, element, faults, values[axis]) && good;
    }
    return good;
}

/// Reads a map key by key; finish() refuses the keys that nobody asked for.
class MapReader
{
public:
    /// `path` is the map's own dotted path, empty for the whole input. A node that is no map is a
    /// fault, and then every key is absent and none is missed.
    MapReader(YamlPointer node, std::string path, Faults& faults);

    /// The value of `key`, or null. Either way the key is allowed from here on.
    YamlPointer find(std::string_view key);

    /// Reads `key` if it is there. True if it was there and right.
    template <class T>
    bool read(std::string_view key, T& value)
    {
        YamlPointer const node = find(key);
        return node && read_value(*node, path_of(key), faults_, value);
    }

    /// The same, and a fault if it is absent.
    template <class T>
    bool require(std::string_view key, T& value)
    {
        YamlPointer const node = find(key);
        if (!node)
        {
            miss(key);
            return false;
        }
        return read_value(*node, path_of(key), faults_, value);
    }

    /// Adds the fault of an absent key.
    void miss(std::string_view key);
    void fail(std::string_view key, std::string message);

    /// Refuses every key that was not asked for, naming the allowed ones and the nearest, or the
    /// section that it belongs into; `every_key` of an input, as dotted paths.
    void finish(std::span<std::string const> every_key);

    std::string path_of(std::string_view key) const;
    Faults& faults()
    {
        return faults_;
    }
    bool is_map() const
    {
        return is_map_;
    }

private:
    YamlPointer node_;
    std::string path_;
    Faults& faults_;
    bool is_map_;
    std::vector<std::string_view> allowed_;
};

}  // namespace tessera
