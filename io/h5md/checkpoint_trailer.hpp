#pragma once
/// The last 24 bytes of a checkpoint: "TSCKPT01", then the length of what is before them and its
/// XXH3-64, both little-endian 64-bit.

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>

namespace tessera
{

inline constexpr std::size_t trailer_size = 24;
using Trailer = std::array<std::byte, trailer_size>;

Trailer make_trailer(std::span<std::byte const> body);

/// What is before the trailer, once mark, length and checksum are found right. Throws IoError.
std::span<std::byte const> verified_body(std::span<std::byte const> bytes);

/// Throws IoError unless the file ends with `trailer` and that is right for what is before it;
/// reads piece by piece.
void verify_stored(std::filesystem::path const& path, Trailer const& trailer);

/// Whether the file ends with the mark and room for the numbers.
bool has_trailer(std::filesystem::path const& path);

}  // namespace tessera
