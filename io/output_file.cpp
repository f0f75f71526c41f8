#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/errors.hpp"
#include "io/system_error.hpp"

namespace tessera
{

namespace
{

bool locked_elsewhere(std::filesystem::path const& path)
{
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
    {
        return false;
    }
    bool const locked = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(descriptor);
    return locked;
}

}  // namespace

void check_way(std::filesystem::path const& path, bool overwrite)
{
    std::filesystem::path const folder = path.has_parent_path() ? path.parent_path() : ".";
    if (::access((folder / "").c_str(), W_OK | X_OK) != 0)
    {
        fail_with_errno("create", path);
    }
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(path, error)))
    {
        return;
    }
    if (std::filesystem::is_directory(path, error))
    {
        throw IoError(fmt::format("cannot write {}: it is a directory.", path.string()));
    }
    if (!overwrite)
    {
        throw IoError(
            fmt::format("cannot write {}: the file is already there. Set "
                        "output.overwrite: true to replace it, or choose another name.",
                        path.string()));
    }
    // removing a file that another run still writes would lose that run's frames
    if (locked_elsewhere(path))
    {
        throw IoError(
            fmt::format("cannot replace {}: another program has it open (locked). Wait "
                        "for it to end, or choose another name.",
                        path.string()));
    }
}

void make_way(std::filesystem::path const& path, bool overwrite)
{
    check_way(path, overwrite);
    std::error_code error;
    auto const status = std::filesystem::symlink_status(path, error);
    // devices such as /dev/null stay
    if (std::filesystem::is_regular_file(path, error) || std::filesystem::is_symlink(status))
    {
        if (!std::filesystem::remove(path, error))
        {
            throw IoError(
                fmt::format("cannot replace {}: {}. Check the permissions of its "
                            "directory.",
                            path.string(), error.message()));
        }
    }
}

}  // namespace tessera
