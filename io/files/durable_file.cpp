#include "io/files/durable_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "engine/config/errors.hpp"
#include "io/files/output_file.hpp"
#include "io/files/system_error.hpp"

namespace tessera
{

namespace
{

/// An open file descriptor.
class Descriptor
{
public:
    Descriptor(std::filesystem::path const& path, int flags, char const* action)
        : path_(path), descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0666))
    {
        if (descriptor_ < 0)
        {
            fail_with_errno(action, path_);
        }
    }
    Descriptor(Descriptor const&) = delete;
    Descriptor& operator=(Descriptor const&) = delete;
    ~Descriptor()
    {
        if (descriptor_ >= 0)
        {
            ::close(descriptor_);
        }
    }

    int get() const
    {
        return descriptor_;
    }
    void write(std::span<std::byte const> bytes)
    {
        while (!bytes.empty())
        {
            ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
            if (written < 0 && errno != EINTR)
            {
                fail_with_errno("write", path_);
            }
            bytes = bytes.subspan(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
        }
    }
    void sync()
    {
        // some file systems sync no directories, and say EINVAL
        if (::fsync(descriptor_) != 0 && errno != EINVAL)
        {
            fail_with_errno("sync", path_);
        }
    }
    void close()
    {
        if (::close(std::exchange(descriptor_, -1)) != 0)
        {
            fail_with_errno("close", path_);
        }
    }

private:
    std::filesystem::path path_;
    int descriptor_;
};

void write_synced(std::filesystem::path const& path,
                  std::span<std::span<std::byte const> const> parts)
{
    remove_aside(path);
    Descriptor file(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "create");
    for (std::span<std::byte const> const part : parts)
    {
        file.write(part);
    }
    file.sync();
    file.close();
}

/// Gives `path` a second name, so that it never lacks its first; where there are no hard links it
/// is moved instead, and `previous` is the whole one until the new file is in place.
void keep_previous(std::filesystem::path const& path, std::filesystem::path const& previous)
{
    if (::access(path.c_str(), F_OK) != 0)
    {
        return;
    }
    ::unlink(previous.c_str());
    if (::link(path.c_str(), previous.c_str()) != 0 &&
        ::rename(path.c_str(), previous.c_str()) != 0)
    {
        fail_with_errno("keep the earlier", path);
    }
}

/// Devices, pipes, sockets and directories stay what they are.
void require_replaceable(std::filesystem::path const& path)
{
    struct stat status
    {
    };
    bool const there = ::lstat(path.c_str(), &status) == 0;
    if (there && !S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
    {
        throw IoError(fmt::format("cannot replace {}: it is no regular file. Choose another name.",
                                  path.string()));
    }
}

void sync_folder_of(std::filesystem::path const& path)
{
    std::filesystem::path const parent = path.has_parent_path() ? path.parent_path() : ".";
    Descriptor(parent, O_RDONLY | O_DIRECTORY, "open").sync();
}

}  // namespace

void replace_durably(std::filesystem::path const& path, std::filesystem::path const& previous,
                     Earlier earlier, std::span<std::span<std::byte const> const> parts)
{
    require_replaceable(path);
    require_replaceable(previous);
    std::filesystem::path const aside = aside_name(path);
    try
    {
        write_synced(aside, parts);
    }
    catch (IoError const&)
    {
        ::unlink(aside.c_str());
        throw;
    }
    if (earlier == Earlier::keep)
    {
        keep_previous(path, previous);
    }
    if (::rename(aside.c_str(), path.c_str()) != 0)
    {
        fail_with_errno("rename to", path);
    }
    sync_folder_of(path);
}

void publish(std::filesystem::path const& aside, std::filesystem::path const& path,
             Existing existing)
{
    require_replaceable(path);
    Descriptor(aside, O_RDONLY, "open").sync();
    // a second name is refused where the first is taken; some file systems give none
    bool const linked = existing == Existing::refuse && ::link(aside.c_str(), path.c_str()) == 0;
    if (existing == Existing::refuse && !linked && errno == EEXIST)
    {
        fail_with_errno("make", path);
    }
    if (linked ? ::unlink(aside.c_str()) != 0 : ::rename(aside.c_str(), path.c_str()) != 0)
    {
        fail_with_errno("rename to", path);
    }
    sync_folder_of(path);
}

std::vector<std::byte> read_bytes(std::filesystem::path const& path)
{
    // a pipe would make the opening wait
    Descriptor const file(path, O_RDONLY | O_NONBLOCK, "open");
    struct stat status
    {
    };
    if (::fstat(file.get(), &status) != 0)
    {
        fail_with_errno("read", path);
    }
    if (!S_ISREG(status.st_mode))
    {
        throw IoError(fmt::format("cannot read {}: it is no regular file.", path.string()));
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < bytes.size())
    {
        ssize_t const count = ::read(file.get(), bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno != EINTR)
        {
            fail_with_errno("read", path);
        }
        if (count == 0)
        {
            bytes.resize(done);
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    }
    return bytes;
}

}  // namespace tessera
