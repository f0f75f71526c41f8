#include "io/files/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

#include "engine/config/errors.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/system_error.hpp"

namespace tessera
{

namespace
{

/// What a lock holds: a process number and a line end, or nothing yet.
std::string holder_in(int descriptor)
{
    std::array<char, 32> text{};
    ssize_t const size = ::pread(descriptor, text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

bool is_holder(std::string const& text)
{
    return text.empty() ||
           (text.size() < 24 && text.find_first_not_of("0123456789") == text.size() - 1 &&
            text.back() == '\n');
}

[[noreturn]] void refuse_foreign(std::filesystem::path const& path)
{
    throw IoError(
        fmt::format("cannot lock the output: {} is in the way, and is no lock of a run. "
                    "Move it elsewhere.",
                    path.string()));
}

/// Whether the open file still has its name: its last holder removes it.
bool has_name(int descriptor, std::filesystem::path const& path)
{
    struct stat open
    {
    };
    struct stat named
    {
    };
    return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &named) == 0 &&
           open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

std::filesystem::path lock_name(std::filesystem::path const& file)
{
    std::filesystem::path const real = resolved(file);
    return real.parent_path() / fmt::format(".{}.lock", real.filename().string());
}

void check_lock_name(std::filesystem::path const& file)
{
    std::filesystem::path const path = lock_name(file);
    struct stat status
    {
    };
    if (::lstat(path.c_str(), &status) != 0)
    {
        return;
    }
    int const descriptor =
        S_ISREG(status.st_mode) ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    bool const lock = descriptor >= 0 && is_holder(holder_in(descriptor));
    if (descriptor >= 0)
    {
        ::close(descriptor);
    }
    if (!lock)
    {
        refuse_foreign(path);
    }
}

FileLock::FileLock(std::filesystem::path const& file) : path_(lock_name(file))
{
    check_lock_name(file);
    do
    {
        if (descriptor_ >= 0)
        {
            ::close(std::exchange(descriptor_, -1));
        }
        descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (descriptor_ < 0)
        {
            fail_with_errno("create", path_);
        }
        if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        {
            std::string const holder = holder_in(descriptor_);
            ::close(descriptor_);
            throw IoError(fmt::format(
                "cannot write {}: it is locked: another run{} is writing it. Wait for that to end, "
                "or choose another name.",
                file.string(),
                holder.size() > 1 ? " (process " + holder.substr(0, holder.size() - 1) + ")" : ""));
        }
    } while (!has_name(descriptor_, path_));
    std::string const holder = fmt::format("{}\n", ::getpid());
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::pwrite(descriptor_, holder.data(), holder.size(), 0) < 0)
    {
        // the number is for messages alone
    }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1))
{
}

FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

FileLock::~FileLock()
{
    if (descriptor_ >= 0)
    {
        // while it is held, so that nobody's lock is removed
        ::unlink(path_.c_str());
        ::close(descriptor_);
    }
}

}  // namespace tessera
