#pragma once
/// How kernels are launched.

#include <cstdint>

namespace tessera::cuda
{

/// Every lane of a warp takes part.
inline constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// Blocks of `block` threads that make `threads`.
inline unsigned blocks_for(std::int64_t threads, int block)
{
    return static_cast<unsigned>((threads + block - 1) / block);
}

}  // namespace tessera::cuda
