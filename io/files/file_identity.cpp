#include "io/files/file_identity.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <system_error>

#include "engine/config/errors.hpp"

namespace tessera
{

namespace
{

/// As many links as the system itself follows.
constexpr int most_links = 40;

struct Resolved
{
    std::filesystem::path there;  ///< free of links
    std::filesystem::path rest;   ///< what is not there
};

Resolved resolve(std::filesystem::path const& path)
{
    std::error_code error;
    std::filesystem::path const whole = std::filesystem::absolute(path, error);
    std::deque<std::filesystem::path> parts(whole.begin(), whole.end());
    Resolved result;
    int links = 0;
    while (!parts.empty())
    {
        std::filesystem::path const part = parts.front();
        parts.pop_front();
        if (part.is_absolute())
        {
            result = {part, {}};
        }
        else if (part == "..")
        {
            std::filesystem::path& last = result.rest.empty() ? result.there : result.rest;
            last = last.parent_path();
        }
        else if (!result.rest.empty())
        {
            result.rest /= part == "." ? "" : part;
        }
        else if (!part.empty() && part != ".")
        {
            std::filesystem::path const next = result.there / part;
            auto const status = std::filesystem::symlink_status(next, error);
            if (std::filesystem::is_symlink(status) && ++links <= most_links)
            {
                std::filesystem::path const target = std::filesystem::read_symlink(next, error);
                parts.insert(parts.begin(), target.begin(), target.end());
            }
            else
            {
                bool const there = std::filesystem::exists(status);
                (there ? result.there : result.rest) = there ? next : part;
            }
        }
    }
    return result;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// Files that are not there yet and differ in case alone are one on a disk that ignores case.
bool may_be_one(FileIdentity const& a, FileIdentity const& b)
{
    return a.device == b.device && a.inode == b.inode && lower(a.rest) == lower(b.rest);
}

}  // namespace

FileIdentity identify(std::filesystem::path const& path)
{
    auto const [there, rest] = resolve(path);
    struct stat status
    {
    };
    if (::stat(there.c_str(), &status) != 0)
    {
        return {0, 0, (there / rest).string()};
    }
    std::string left = rest.string();
    left.erase(left.find_last_not_of('/') + 1);
    return {status.st_dev, status.st_ino, left};
}

std::filesystem::path resolved(std::filesystem::path const& path)
{
    auto const [there, rest] = resolve(path);
    return rest.empty() ? there : there / rest;
}

void check_name(std::string const& key, std::filesystem::path const& path)
{
    std::string const& name = path.native();
    auto const control = [](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    };
    if (std::any_of(name.begin(), name.end(), control))
    {
        std::string shown;
        for (char const c : name)
        {
            shown += control(c) ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c))
                                : std::string(1, c);
        }
        throw ConfigError(
            fmt::format("{}: '{}' has a control character; no file is made of such a name; "
                        "use letters, digits and signs",
                        key, shown));
    }
    if (path.filename().empty() || path.filename() == "." || path.filename() == "..")
    {
        throw ConfigError(
            fmt::format("{}: '{}' names no file; give the name of one", key, path.string()));
    }
}

void Claims::read(std::string key, std::filesystem::path const& path)
{
    FileIdentity identity = identify(path);
    for (Claim const& other : claims_)
    {
        if (other.written && other.identity == identity)
        {
            throw ConfigError(
                fmt::format("{}: '{}' is read by this command; {} would destroy it; "
                            "give that another name",
                            key, path.string(), other.key));
        }
    }
    claims_.push_back({std::move(key), resolved(path), std::move(identity), false});
}

void Claims::write(std::string key, std::filesystem::path const& path, std::string const& replaced)
{
    write_beside("", std::move(key), path, replaced);
}

void Claims::write_beside(std::string const& origin, std::string key,
                          std::filesystem::path const& path, std::string const& replaced)
{
    check_name(key, path);
    FileIdentity identity = identify(path);
    std::filesystem::path place = resolved(path);
    for (Claim const& other : claims_)
    {
        if (other.written && other.key == origin && identity.rest.empty() &&
            other.identity == identity && other.path != place)
        {
            continue;
        }
        bool const same = other.identity == identity;
        if (same && !other.written && other.key != replaced)
        {
            throw ConfigError(
                fmt::format("{}: '{}' is what this command reads as {}; it would be "
                            "destroyed; give it another name",
                            key, path.string(), other.key));
        }
        if (other.written && (same || may_be_one(other.identity, identity)))
        {
            throw ConfigError(fmt::format(
                "{}: '{}' is the file of {} too{}; one would destroy the other; give "
                "it another name",
                key, path.string(), other.key, same ? "" : " where case makes no difference"));
        }
    }
    claims_.push_back({std::move(key), std::move(place), std::move(identity), true});
}

}  // namespace tessera
