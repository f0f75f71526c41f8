#include "io/files/system_error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "engine/config/errors.hpp"

namespace tessera
{

void fail_with_errno(std::string_view action, std::filesystem::path const& path)
{
    std::string const reason = std::generic_category().message(errno);
    throw IoError(
        fmt::format("cannot {} {}: {}.{}", action, path.string(), reason, remedy_for(reason)));
}

std::string_view remedy_for(std::string_view reason)
{
    auto const mentions = [&](std::string_view word) {
        return reason.find(word) != std::string_view::npos;
    };
    if (mentions("No space left") || mentions("quota exceeded") || mentions("File too large"))
    {
        return " Free some space, or write to another disk.";
    }
    if (mentions("lock file"))
    {
        return " Another program has the file open: close it there. On a file system without "
               "locks, set the environment variable HDF5_USE_FILE_LOCKING=FALSE.";
    }
    if (mentions("Permission denied") || mentions("Read-only file system"))
    {
        return " Check the permissions of the file and its directory, or choose another directory.";
    }
    if (mentions("No such file"))
    {
        return " Check the path; directories are not made.";
    }
    if (mentions("truncated file") || mentions("file signature not found"))
    {
        return " The file is damaged or not HDF5.";
    }
    return "";
}

}  // namespace tessera
