#include "io/yaml/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/yaml/scalars.hpp"

namespace tessera
{
namespace
{

std::string_view describe(NodeKind kind)
{
    switch (kind)
    {
        case NodeKind::null:
            return "no value";
        case NodeKind::scalar:
            return "a single value";
        case NodeKind::list:
            return "a list";
        case NodeKind::map:
            return "a map of keys";
    }
    return {};
}

/// Text of the user's, short enough to be quoted in a message.
std::string excerpt(std::string_view text)
{
    return text.size() <= 60 ? std::string{text} : std::string{text.substr(0, 57)} + "...";
}

template <class T>
bool read_plain(YamlNode const& node, std::string const& key, Faults& faults,
                std::string_view wanted, Parsed<T> (*parse)(std::string_view), T& value)
{
    std::string text;
    if (!read_scalar(node, key, faults, wanted, text))
    {
        return false;
    }
    if (node.quoting == Quoting::quoted)
    {
        faults.push_back({node.position, key,
                          fmt::format("is the quoted text \"{}\", but {} is needed; leave the "
                                      "quotes out",
                                      excerpt(text), wanted)});
        return false;
    }
    if (text.size() > 400)
    {
        faults.push_back({node.position, key,
                          fmt::format("has {} characters, but {} is needed; write it shorter",
                                      text.size(), wanted)});
        return false;
    }
    Parsed<T> const parsed = parse(text);
    if (!parsed.value)
    {
        faults.push_back({node.position, key, parsed.fault});
        return false;
    }
    value = *parsed.value;
    return true;
}

}  // namespace

bool read_scalar(YamlNode const& node, std::string const& key, Faults& faults,
                 std::string_view wanted, std::string& text)
{
    if (node.kind != NodeKind::scalar)
    {
        faults.push_back(
            {node.position, key,
             fmt::format("has {}, but {} is needed{}", describe(node.kind), wanted,
                         node.kind == NodeKind::null ? "; give one, or leave the key out"
                                                     : "; write it behind the colon")});
        return false;
    }
    text = node.text;
    return true;
}

bool expect_kind(YamlNode const& node, std::string const& key, Faults& faults, NodeKind wanted)
{
    if (node.kind == wanted)
    {
        return true;
    }
    std::string_view const example = wanted == NodeKind::list ? "[a, b]" : "{key: value}";
    faults.push_back({node.position, key,
                      fmt::format("has {}, but {} is needed; write it like {}", describe(node.kind),
                                  describe(wanted), example)});
    return false;
}

void refuse_name(YamlNode const& node, std::string const& key, Faults& faults,
                 std::span<std::string_view const> names,
                 std::span<std::string_view const> unavailable)
{
    std::string const text = excerpt(node.text);
    if (std::find(unavailable.begin(), unavailable.end(), node.text) != unavailable.end())
    {
        faults.push_back({node.position, key,
                          fmt::format("'{}' is not available in this version; available: {}", text,
                                      list_names(names))});
        return;
    }
    std::string_view const nearest = nearest_name(node.text, names);
    faults.push_back(
        {node.position, key,
         fmt::format("'{}' is not known here; allowed: {}{}", text, list_names(names),
                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest))});
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults, double& value)
{
    return read_plain(node, key, faults, "a number", parse_number, value);
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults, std::int64_t& value)
{
    return read_plain(node, key, faults, "a whole number", parse_integer, value);
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults, std::uint64_t& value)
{
    return read_plain(node, key, faults, "a whole number from 0 to 2^64 - 1", parse_unsigned,
                      value);
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults, int& value)
{
    std::int64_t wide = 0;
    if (!read_value(node, key, faults, wide))
    {
        return false;
    }
    if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    {
        faults.push_back({node.position, key,
                          fmt::format("'{}' is far out of range; give a small number", node.text)});
        return false;
    }
    value = static_cast<int>(wide);
    return true;
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults, bool& value)
{
    return read_plain(node, key, faults, "true or false", parse_boolean, value);
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults, Duration& value)
{
    return read_plain(node, key, faults, "a duration", parse_duration, value.seconds);
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults, std::string& value)
{
    if (!read_scalar(node, key, faults, "text", value))
    {
        return false;
    }
    if (value.empty())
    {
        faults.push_back({node.position, key, "is empty text; give some, or leave the key out"});
        return false;
    }
    return true;
}

bool read_value(YamlNode const& node, std::string const& key, Faults& faults,
                std::filesystem::path& value)
{
    std::string text;
    if (!read_value(node, key, faults, text))
    {
        return false;
    }
    value = text;
    return true;
}

MapReader::MapReader(YamlPointer node, std::string path, Faults& faults)
    : node_(std::move(node)), path_(std::move(path)), faults_(faults), is_map_(false)
{
    is_map_ = node_ && expect_kind(*node_, path_, faults_, NodeKind::map);
}

YamlPointer MapReader::find(std::string_view key)
{
    if (std::find(allowed_.begin(), allowed_.end(), key) == allowed_.end())
    {
        allowed_.push_back(key);
    }
    if (!is_map_)
    {
        return nullptr;
    }
    for (YamlEntry const& entry : node_->entries)
    {
        if (entry.key == key)
        {
            return entry.value;
        }
    }
    return nullptr;
}

void MapReader::miss(std::string_view key)
{
    if (is_map_)
    {
        fail(key, fmt::format("is missing; it has no default; add it{}",
                              path_.empty() ? "" : fmt::format(" to '{}'", path_)));
    }
}

void MapReader::fail(std::string_view key, std::string message)
{
    TextPosition position = node_ ? node_->position : TextPosition{};
    for (YamlEntry const& entry : node_->entries)
    {
        position = entry.key == key ? entry.position : position;
    }
    faults_.push_back({position, path_of(key), std::move(message)});
}

std::string MapReader::path_of(std::string_view key) const
{
    return path_.empty() ? std::string{key} : path_ + "." + std::string{key};
}

void MapReader::finish(std::span<std::string const> every_key)
{
    if (!is_map_)
    {
        return;
    }
    for (YamlEntry const& entry : node_->entries)
    {
        if (std::find(allowed_.begin(), allowed_.end(), entry.key) != allowed_.end())
        {
            continue;
        }
        std::string const key = excerpt(entry.key);
        std::string advice;
        std::string_view const nearest = nearest_name(entry.key, allowed_);
        std::string const elsewhere = section_of_key(entry.key, every_key);
        if (entry.key == "<<")
        {
            advice = "; merge keys are not read: write the keys out";
        }
        else if (entry.key.find(':') != std::string::npos)
        {
            advice = "; a key ends with a colon and a space";
        }
        else if (!nearest.empty())
        {
            advice = fmt::format("; did you mean '{}'?", nearest);
        }
        else if (!elsewhere.empty())
        {
            advice = fmt::format("; it belongs into {}", elsewhere);
        }
        faults_.push_back({entry.position, path_of(key),
                           fmt::format("is not a key {}; allowed: {}{}",
                                       path_.empty() ? "of an input" : "of '" + path_ + "'",
                                       list_names(allowed_), advice)});
    }
}

}  // namespace tessera
