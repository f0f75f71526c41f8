#include "io/files/output_file.hpp"

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
#include <system_error>

#include "engine/config/errors.hpp"
#include "io/files/system_error.hpp"

namespace tessera
{

namespace
{

namespace fs = std::filesystem;

bool locked_elsewhere(fs::path const& path)
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

fs::path folder_of(fs::path const& path)
{
    return path.has_parent_path() ? path.parent_path() : ".";
}

char const* kind_of(fs::file_status const& status)
{
    switch (status.type())
    {
        case fs::file_type::directory:
            return "a directory";
        case fs::file_type::block:
        case fs::file_type::character:
            return "a device";
        case fs::file_type::fifo:
            return "a pipe";
        default:
            return "no regular file";
    }
}

/// A new file beside `path`, under a name that nothing had; moved to `path` by publish().
class Aside
{
public:
    explicit Aside(fs::path const& path)
        : path_(path),
          name_((folder_of(path) / fmt::format(".{}.XXXXXX", path.filename().string())).string()),
          descriptor_(::mkostemp(name_.data(), O_CLOEXEC))
    {
        if (descriptor_ < 0)
        {
            fail_with_errno("create", path_);
        }
    }
    Aside(Aside const&) = delete;
    Aside& operator=(Aside const&) = delete;
    ~Aside()
    {
        ::close(descriptor_);
        if (!published_)
        {
            ::unlink(name_.c_str());
        }
    }

    int descriptor() const
    {
        return descriptor_;
    }
    void publish()
    {
        mode_t const mask = ::umask(0);
        ::umask(mask);
        // some file systems sync nothing, and say EINVAL
        if (::fchmod(descriptor_, 0666 & ~mask) != 0 ||
            (::fsync(descriptor_) != 0 && errno != EINVAL) ||
            ::rename(name_.c_str(), path_.c_str()) != 0)
        {
            fail_with_errno("write", path_);
        }
        published_ = true;
    }

private:
    fs::path path_;
    std::string name_;
    int descriptor_;
    bool published_ = false;
};

void write_all(int descriptor, std::string_view text, fs::path const& path)
{
    while (!text.empty())
    {
        ssize_t const count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno != EINTR)
        {
            fail_with_errno("write", path);
        }
        text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
}

}  // namespace

bool is_stream(fs::path const& path)
{
    std::error_code error;
    auto const status = fs::status(path, error);
    return fs::is_character_file(status) || fs::is_fifo(status);
}

void check_way(fs::path const& path, bool overwrite, OutputKind kind)
{
    std::error_code error;
    if (kind == OutputKind::text && is_stream(path))
    {
        if (::access(path.c_str(), W_OK) != 0)
        {
            fail_with_errno("write", path);
        }
        return;
    }
    if (::access((folder_of(path) / "").c_str(), W_OK | X_OK) != 0)
    {
        fail_with_errno("create", path);
    }
    if (!fs::exists(fs::symlink_status(path, error)))
    {
        return;
    }
    auto const status = fs::status(path, error);
    if (fs::exists(status) && !fs::is_regular_file(status))
    {
        throw IoError(fmt::format("cannot write {}: it is {}. Choose another name.", path.string(),
                                  kind_of(status)));
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

void make_way(fs::path const& path, bool overwrite, OutputKind kind)
{
    check_way(path, overwrite, kind);
    std::error_code error;
    if (is_stream(path) || !fs::exists(fs::symlink_status(path, error)))
    {
        return;
    }
    if (!fs::remove(path, error))
    {
        throw IoError(
            fmt::format("cannot replace {}: {}. Check the permissions of its "
                        "directory.",
                        path.string(), error.message()));
    }
}

fs::path aside_name(fs::path const& path)
{
    return path.parent_path() / fmt::format(".{}.new", path.filename().string());
}

bool may_be_hdf5(fs::path const& path)
{
    constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
    std::array<char, signature.size()> start{};
    struct stat status
    {
    };
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    {
        return false;
    }
    int const descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
    {
        return false;
    }
    ssize_t const size = ::pread(descriptor, start.data(), start.size(), 0);
    ::close(descriptor);
    std::size_t const count = static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    return size >= 0 && signature.substr(0, count) == std::string_view(start.data(), count);
}

void check_aside(fs::path const& aside)
{
    std::error_code error;
    if (fs::exists(fs::symlink_status(aside, error)) && !may_be_hdf5(aside))
    {
        throw IoError(
            fmt::format("cannot make {}: something has that name that no run left there. "
                        "Move it elsewhere.",
                        aside.string()));
    }
}

void remove_aside(fs::path const& aside)
{
    check_aside(aside);
    if (::unlink(aside.c_str()) != 0 && errno != ENOENT)
    {
        fail_with_errno("replace", aside);
    }
}

void write_whole(fs::path const& path, std::string_view text)
{
    if (is_stream(path))
    {
        int const descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (descriptor < 0)
        {
            fail_with_errno("open", path);
        }
        try
        {
            write_all(descriptor, text, path);
        }
        catch (IoError const&)
        {
            ::close(descriptor);
            throw;
        }
        ::close(descriptor);
        return;
    }
    Aside aside(path);
    write_all(aside.descriptor(), text, path);
    aside.publish();
}

FileWatch::FileWatch(fs::path path) : path_(std::move(path))
{
    struct stat status
    {
    };
    watched_ = ::stat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode);
    device_ = status.st_dev;
    inode_ = status.st_ino;
    size_ = status.st_size;
}

void FileWatch::check()
{
    if (!watched_)
    {
        return;
    }
    struct stat status
    {
    };
    bool const there = ::stat(path_.c_str(), &status) == 0;
    bool const same = there && status.st_dev == device_ && status.st_ino == inode_;
    if (!same || status.st_size < size_)
    {
        throw IoError(
            fmt::format("{}: {} while it was being written. Leave a run's files alone until "
                        "it ends.",
                        path_.string(),
                        !there  ? "it was removed"
                        : !same ? "another file took its name"
                                : "something cut it"));
    }
    size_ = status.st_size;
}

}  // namespace tessera
