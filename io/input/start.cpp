#include "io/input/start.hpp"

#include <fmt/format.h>

#include <string_view>
#include <system_error>
#include <variant>

#include "engine/config/errors.hpp"
#include "engine/start/initial.hpp"
#include "io/start/start.hpp"

namespace tessera
{
namespace
{

bool is_there(std::filesystem::path const& path)
{
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

bool is_same_file(std::filesystem::path const& a, std::filesystem::path const& b)
{
    std::error_code ignored;
    return std::filesystem::equivalent(a, b, ignored);
}

/// An input means a file beside itself, a command line one in the working folder; the other place
/// is looked at where there is none, and what was taken is said wherever it could surprise.
void find_start(YamlDocument const& document, std::filesystem::path const& path, Input& input)
{
    std::filesystem::path& file = std::get<FileConfig>(input.config.system.start).path;
    std::filesystem::path const beside = path.parent_path() / file, here = file;
    bool const overridden = node_at(document, "system.file")->position.source != 0;
    std::filesystem::path const &first = overridden ? here : beside,
                                &second = overridden ? beside : here;
    if (file.is_absolute() || first == second)
    {
        return;
    }
    file = first;
    if (!is_there(first) && is_there(second))
    {
        file = second;
        input.notices.push_back(fmt::format("system.file: {} is read; there is no {}",
                                            second.string(), first.string()));
    }
    else if (is_there(first) && is_there(second) && !is_same_file(first, second))
    {
        input.notices.push_back(
            fmt::format("system.file: {} is read, not {}", first.string(), second.string()));
    }
}

/// A key that is there and not null.
bool says(YamlDocument const& document, std::string_view path)
{
    YamlNode const* const node = node_at(document, path);
    return node != nullptr && node->kind != NodeKind::null;
}

InputStatements statements_of(YamlDocument const& document, Config const& config)
{
    InputStatements said;
    said.species = says(document, "system.species");
    said.boundary = says(document, "system.boundary");
    said.pairs = says(document, "potential.pairs");
    said.cutoff = says(document, "potential.cutoff");
    for (std::size_t index = 0; index < config.system.species.size(); ++index)
    {
        said.masses.push_back(says(document, fmt::format("system.species.{}.mass", index)));
    }
    return said;
}

void settle(StartFile& start)
{
    try
    {
        settle_file_state(start.state);
    }
    catch (ConfigError const& error)
    {
        throw ConfigError(fmt::format("{}: {}", start.path, error.what()));
    }
}

}  // namespace

std::vector<Problem> read_start_of(YamlDocument const& document, std::filesystem::path const& path,
                                   Input& input)
{
    auto const* const file = std::get_if<FileConfig>(&input.config.system.start);
    if (file == nullptr || file->path.empty())
    {
        return {};
    }
    if (file->path.native().find('\0') != std::string::npos)
    {
        // The system would read a file whose name ends there.
        return {{"system.file", "has a zero byte in its name; give the name of a file"}};
    }
    std::vector<Problem> problems;
    try
    {
        find_start(document, path, input);
        StartFile start = read_start_file(*file);
        problems = take_start_file(input.config, statements_of(document, input.config), start);
        if (problems.empty())
        {
            settle(start);
        }
        input.notices.insert(input.notices.end(), start.notices.begin(), start.notices.end());
        input.start = std::move(start);
    }
    catch (IoError const& error)
    {
        problems.push_back({"system.file", error.what()});
    }
    catch (ConfigError const& error)
    {
        problems.push_back({"system.file", error.what()});
    }
    return problems;
}

}  // namespace tessera
