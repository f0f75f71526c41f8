#include "tools/verb/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "engine/config/errors.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/output_file.hpp"

namespace tessera
{

namespace
{

/// Far above what we write: a longer file is no JSON of ours, and need not be read.
constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;

bool has_members(std::filesystem::path const& path, std::vector<std::string> const& marks)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) ||
        std::filesystem::file_size(path, error) > most_bytes)
    {
        return false;
    }
    std::ifstream file(path, std::ios::binary);
    auto const json = nlohmann::json::parse(file, nullptr, false);
    return json.is_object() && std::all_of(marks.begin(), marks.end(),
                                           [&](auto const& mark) { return json.contains(mark); });
}

}  // namespace

void check_json_way(std::string const& key, std::filesystem::path const& path,
                    std::vector<std::string> const& marks, bool overwrite)
{
    if (path.empty())
    {
        return;
    }
    check_name(key, path);
    std::error_code error;
    bool const there =
        !is_stream(path) && std::filesystem::exists(std::filesystem::symlink_status(path, error));
    if (there && !overwrite && !has_members(path, marks))
    {
        throw ConfigError(
            fmt::format("{} {}: the file is already there, and is not what this option wrote "
                        "before; choose another name, or move it elsewhere",
                        key, path.string()));
    }
    try
    {
        check_way(path, true, OutputKind::text);
    }
    catch (IoError const& fault)
    {
        throw ConfigError(fmt::format("{}: {}", key, fault.what()));
    }
}

void write_json(std::string const& key, std::filesystem::path const& path,
                nlohmann::ordered_json const& json, int indent)
{
    try
    {
        write_whole(path, json.dump(indent) + '\n');
    }
    catch (IoError const& fault)
    {
        throw IoError(fmt::format("{}: {}", key, fault.what()));
    }
}

}  // namespace tessera
