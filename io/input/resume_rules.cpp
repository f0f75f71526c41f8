#include "io/input/resume_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "io/input/input.hpp"
#include "io/yaml/document.hpp"

namespace tessera
{

namespace
{

constexpr std::string_view changeable[] = {
    "run.steps",  "run.walltime", "output",  "device",           "threads",
    "force.path", "force.lanes",  "reorder", "neighbor.rebuild", "neighbor.skin",
};

using Values = std::map<std::string, std::string>;

void collect(YamlNode const& node, std::string const& key, Values& values)
{
    auto const below = [&](std::string const& name) {
        return key.empty() ? name : key + "." + name;
    };
    if (node.kind == NodeKind::scalar || node.kind == NodeKind::null)
    {
        values[key] = node.text;
    }
    for (std::size_t item = 0; item < node.items.size(); ++item)
    {
        collect(*node.items[item], below(std::to_string(item)), values);
    }
    for (YamlEntry const& entry : node.entries)
    {
        collect(*entry.value, below(entry.key), values);
    }
}

Values values_of(Config const& config)
{
    Values values;
    collect(*parse_document(to_yaml(config), "the input").root, "", values);
    return values;
}

std::string value_in(Values const& values, std::string const& key)
{
    auto const found = values.find(key);
    return found == values.end() ? "" : found->second;
}

bool may_change(std::string_view key)
{
    return std::any_of(std::begin(changeable), std::end(changeable), [&](std::string_view allowed) {
        return key.starts_with(allowed) &&
               (key.size() == allowed.size() || key[allowed.size()] == '.');
    });
}

std::string shown(std::string const& value)
{
    return value.empty() ? "not given" : value;
}

}  // namespace

std::span<std::string_view const> changeable_keys()
{
    return changeable;
}

std::vector<ChangedKey> changed_keys(Config const& before, Config const& now)
{
    Values const old_values = values_of(before);
    Values const new_values = values_of(now);
    Values all = old_values;
    all.insert(new_values.begin(), new_values.end());
    std::vector<ChangedKey> changes;
    for (auto const& [key, value] : all)
    {
        ChangedKey change{key, value_in(old_values, key), value_in(new_values, key)};
        if (change.before != change.now)
        {
            changes.push_back(std::move(change));
        }
    }
    return changes;
}

void refuse_other_run(std::vector<ChangedKey> const& changes)
{
    std::string message;
    for (ChangedKey const& change : changes)
    {
        if (!may_change(change.key))
        {
            message += fmt::format("{}: is {} in the run so far, and {} now\n", change.key,
                                   shown(change.before), shown(change.now));
        }
    }
    if (!message.empty())
    {
        throw ConfigError(fmt::format(
            "{}a resumed run is the same run: it may change {}; for anything else start "
            "a run of its own from the checkpoint, with system.file",
            message, fmt::join(changeable, ", ")));
    }
}

std::string list_changes(std::vector<ChangedKey> const& changes, std::int64_t step)
{
    std::string text;
    for (ChangedKey const& change : changes)
    {
        text += fmt::format("step {}: {}: {} -> {}\n", step, change.key, shown(change.before),
                            shown(change.now));
    }
    return text;
}

}  // namespace tessera
