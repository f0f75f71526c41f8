#pragma once
/// What may be done to a file that has the name of an output: only regular files and links are
/// ever removed or replaced, and only with `overwrite`.

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace tessera
{

/// What an output writes into.
enum class OutputKind
{
    file,  ///< a regular file: it is replaced, locked or written anywhere
    text   ///< front to back, so that a device or a pipe that is there will do, and stays
};

/// Throws IoError unless a new file can be made at `path`: its folder is there and may be written
/// to, and a file that is there may be replaced: `overwrite` is set, and no other process holds its
/// lock. Changes nothing.
void check_way(std::filesystem::path const& path, bool overwrite,
               OutputKind kind = OutputKind::file);

/// Checks the way, then removes what is there; a device or a pipe stays.
void make_way(std::filesystem::path const& path, bool overwrite,
              OutputKind kind = OutputKind::file);

/// Whether a device or a pipe is there, which keeps nothing that was written to it.
bool is_stream(std::filesystem::path const& path);

/// .NAME.new in the folder of `path`: where an HDF5 file is made before it gets its name.
std::filesystem::path aside_name(std::filesystem::path const& path);

/// Whether the file is empty or starts as HDF5 files do, and is no link.
bool may_be_hdf5(std::filesystem::path const& path);

/// Throws IoError if something else is there than a killed run may have left. Changes nothing.
void check_aside(std::filesystem::path const& aside);

/// Checks, then removes what a killed run left.
void remove_aside(std::filesystem::path const& aside);

/// Gives `path` this text in one instant, replacing what has the name; a device or a pipe gets it
/// as it comes. Throws IoError; what was there is then as it was.
void write_whole(std::filesystem::path const& path, std::string_view text);

/// Notices when a file that is being written is taken away by somebody else.
class FileWatch
{
public:
    /// The file must be there; a device or a pipe is not watched.
    explicit FileWatch(std::filesystem::path path);
    /// Throws IoError if the name is gone or another file's, or if the file is shorter than when it
    /// was last looked at.
    void check();

private:
    std::filesystem::path path_;
    std::uint64_t device_ = 0, inode_ = 0;
    std::int64_t size_ = 0;
    bool watched_ = false;
};

}  // namespace tessera
