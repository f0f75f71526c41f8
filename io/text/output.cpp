#include "io/text/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/config/errors.hpp"
#include "io/files/system_error.hpp"

namespace tessera
{

TextOutput::TextOutput(std::filesystem::path path, Mode mode) : path_(std::move(path))
{
    int const flags =
        O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_APPEND | (mode == Mode::append ? 0 : O_EXCL);
    descriptor_ = ::open(path_.c_str(), flags, 0666);
    if (descriptor_ < 0)
    {
        fail_with_errno("create", path_);
    }
}

TextOutput::TextOutput(TextOutput&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_))
{
}

TextOutput& TextOutput::operator=(TextOutput&& other) noexcept
{
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(buffer_, other.buffer_);
    return *this;
}

TextOutput::~TextOutput()
{
    try
    {
        close();
    }
    catch (IoError const&)
    {
        // documented: a caller who wants to know calls close()
    }
}

void TextOutput::flush()
{
    std::size_t done = 0;
    while (done < buffer_.size())
    {
        ssize_t const count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
        if (count < 0 && errno != EINTR)
        {
            // the same text must not be tried again by the destructor
            int const code = errno;
            buffer_.clear();
            errno = code;
            fail_with_errno("write", path_);
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    buffer_.clear();
}

void TextOutput::sync()
{
    // devices, pipes and some file systems sync nothing, and say EINVAL or EROFS
    if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS)
    {
        fail_with_errno("sync", path_);
    }
}

void TextOutput::close()
{
    if (descriptor_ < 0)
    {
        return;
    }
    flush();
    if (::close(std::exchange(descriptor_, -1)) != 0)
    {
        fail_with_errno("close", path_);
    }
}

}  // namespace tessera
