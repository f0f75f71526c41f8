#pragma once
/// Copies within device memory by loads and stores of a chosen width.

#include <cstddef>
#include <cstdint>

#include "kernels/device/stream_handle.hpp"

namespace tessera
{

/// Bytes that a thread moves, and in what pieces.
enum class CopyWidth : std::uint8_t
{
    bytes_4,
    bytes_8,
    bytes_16,
    four_times_16  ///< four independent 16-byte pieces a thread
};

namespace cuda
{

/// Copies `bytes` bytes; source and destination may begin and end anywhere, and do not overlap.
/// Where both are misaligned alike, single bytes go up to the first boundary and after the last;
/// where they differ, the pieces shrink to the widest that fits both.
void copy(std::byte* destination, std::byte const* source, std::int64_t bytes, CopyWidth width,
          StreamHandle stream);

}  // namespace cuda
}  // namespace tessera
