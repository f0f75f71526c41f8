#include "io/input/override.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tessera
{
namespace
{

std::vector<std::string> split_path(std::string_view path)
{
    std::vector<std::string> parts;
    for (;;)
    {
        std::size_t const dot = path.find('.');
        parts.emplace_back(path.substr(0, dot));
        if (dot == std::string_view::npos)
        {
            return parts;
        }
        path.remove_prefix(dot + 1);
    }
}

/// One assignment on its way down the tree. Nodes may be shared through aliases, so every node on
/// the path is copied, not changed.
class Assignment
{
public:
    Assignment(YamlDocument& document, std::vector<std::string> parts, YamlPointer value)
        : document_(document),
          parts_(std::move(parts)),
          value_(std::move(value)),
          position_{static_cast<int>(document.sources.size()) - 1, 1, 1}
    {
    }

    YamlPointer apply(YamlPointer const& node, std::size_t depth)
    {
        if (depth == parts_.size())
        {
            return value_;
        }
        auto copy = node && node->kind != NodeKind::null ? std::make_shared<YamlNode>(*node)
                                                         : std::make_shared<YamlNode>();
        if (copy->kind == NodeKind::null)
        {
            copy->kind = NodeKind::map;
            copy->position = position_;
        }
        if (copy->kind == NodeKind::scalar)
        {
            fail(depth, "is a single value; it has no keys of its own");
            return node;
        }
        copy->kind == NodeKind::list ? apply_to_list(*copy, depth) : apply_to_map(*copy, depth);
        return copy;
    }

private:
    void apply_to_map(YamlNode& map, std::size_t depth)
    {
        auto const found =
            std::find_if(map.entries.begin(), map.entries.end(),
                         [&](YamlEntry const& entry) { return entry.key == parts_[depth]; });
        YamlPointer const old = found == map.entries.end() ? nullptr : found->value;
        YamlPointer const changed = apply(old, depth + 1);
        bool const last = depth + 1 == parts_.size();
        if (last && changed->kind == NodeKind::null)
        {
            if (found == map.entries.end())
            {
                fail(depth + 1, "is not in the input, so null has nothing to remove");
                return;
            }
            map.entries.erase(found);
        }
        else if (found == map.entries.end())
        {
            map.entries.push_back({parts_[depth], position_, changed});
        }
        else
        {
            found->value = changed;
            found->position = last ? position_ : found->position;
        }
    }

    void apply_to_list(YamlNode& list, std::size_t depth)
    {
        std::string const& part = parts_[depth];
        std::size_t index = 0;
        auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (error != std::errc{} || end != part.data() + part.size() || index > list.items.size())
        {
            fail(depth, fmt::format("is a list of {}; '{}' is not one of its elements; they are "
                                    "numbered from 0",
                                    list.items.size(), part));
            return;
        }
        bool const fresh = index == list.items.size();
        YamlPointer const changed = apply(fresh ? nullptr : list.items[index], depth + 1);
        if (fresh)
        {
            list.items.push_back(changed);
        }
        else
        {
            list.items[index] = changed;
        }
    }

    void fail(std::size_t depth, std::string message)
    {
        std::string key;
        for (std::size_t part = 0; part < depth; ++part)
        {
            key += (part == 0 ? "" : ".") + parts_[part];
        }
        document_.faults.push_back({position_, key, std::move(message)});
    }

    YamlDocument& document_;
    std::vector<std::string> parts_;
    YamlPointer value_;
    TextPosition position_;
};

}  // namespace

void apply_override(YamlDocument& document, std::string const& assignment)
{
    std::size_t const equals = assignment.find('=');
    std::string const path = assignment.substr(0, equals);
    std::vector<std::string> parts = split_path(path);
    bool const named = std::none_of(parts.begin(), parts.end(),
                                    [](std::string const& part) { return part.empty(); });
    std::string const source = "--set " + assignment;
    std::size_t const faults_before = document.faults.size();
    // No key of an input lies deeper; the limit bounds the recursion below.
    bool const deep = parts.size() > 16;
    if (equals == std::string::npos || !named || deep)
    {
        parse_source(document, "", source);
        document.faults.push_back({{static_cast<int>(document.sources.size()) - 1, 1, 1},
                                   "",
                                   "is not of the form key=value; write one such as "
                                   "run.steps=100"});
        return;
    }
    YamlPointer const value = parse_source(document, assignment.substr(equals + 1), source);
    int const number = static_cast<int>(document.sources.size()) - 1;
    if (!value)
    {
        if (document.faults.size() == faults_before)
        {
            document.faults.push_back(
                {{number, 1, 1}, path, "has no value; write one, or null to remove the key"});
        }
        return;
    }
    document.root = Assignment(document, std::move(parts), value).apply(document.root, 0);
}

}  // namespace tessera
