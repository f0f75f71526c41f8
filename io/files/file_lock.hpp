#pragma once

#include <filesystem>

namespace tessera
{

/// Keeps other runs from writing a file for as long as this object lives; move-only.
///
/// What is locked (flock) is .NAME.lock beside the file, since the file itself may be replaced
/// while it is written. It holds the number of the process, is removed at the end, and means
/// nothing where a killed run left it. On a file system without locks nothing is kept.
class FileLock
{
public:
    /// Throws IoError if another process holds it, naming that, or if it cannot be made.
    explicit FileLock(std::filesystem::path const& file);
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// .NAME.lock in the folder where the file really is.
std::filesystem::path lock_name(std::filesystem::path const& file);

/// Throws IoError if something else than a lock has its name. Changes nothing.
void check_lock_name(std::filesystem::path const& file);

}  // namespace tessera
