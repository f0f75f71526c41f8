#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <utility>

namespace tessera
{

/// A text file that is written front to back; move-only. Members throw IoError. Doubles formatted
/// with {} read back to the same bits, in every locale.
class TextOutput
{
public:
    enum class Mode
    {
        create,  ///< the file must not be there yet
        append   ///< a file, device or pipe that is there goes on; otherwise a new file
    };
    TextOutput(std::filesystem::path path, Mode mode);
    TextOutput(TextOutput&& other) noexcept;
    TextOutput& operator=(TextOutput&& other) noexcept;
    /// Closes; errors go unseen, so call close() first.
    ~TextOutput();

    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments)
    {
        fmt::format_to(std::back_inserter(buffer_), format, std::forward<Arguments>(arguments)...);
        if (buffer_.size() >= flush_size)
        {
            flush();
        }
    }
    /// Hands everything to the operating system.
    void flush();
    /// Has the disk hold what was flushed, where there is a disk.
    void sync();
    void close();

private:
    static constexpr std::size_t flush_size = std::size_t{1} << 16;

    std::filesystem::path path_;
    int descriptor_ = -1;
    fmt::memory_buffer buffer_;
};

}  // namespace tessera
