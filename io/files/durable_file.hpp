#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace tessera
{

/// What becomes of the file before.
enum class Earlier
{
    drop,
    keep  ///< as `previous`
};

/// Writes `parts` one after the other into .NAME.new (io/files/output_file.hpp), syncs it to the
/// disk, keeps what was at `path` as `previous` and renames .NAME.new to `path`. A crash leaves the
/// old or the new file, whole. Nothing but a regular file or a link is replaced. Throws IoError;
/// `path` and `previous` are then as they were.
void replace_durably(std::filesystem::path const& path, std::filesystem::path const& previous,
                     Earlier earlier, std::span<std::span<std::byte const> const> parts);

/// What becomes of a file that has the name already.
enum class Existing
{
    refuse,  ///< it stays, and IoError is thrown
    replace
};
/// Syncs `aside` to the disk and gives it the name `path`, in one instant. Throws IoError.
void publish(std::filesystem::path const& aside, std::filesystem::path const& path,
             Existing existing);

/// The whole file, a regular one. Throws IoError.
std::vector<std::byte> read_bytes(std::filesystem::path const& path);

}  // namespace tessera
