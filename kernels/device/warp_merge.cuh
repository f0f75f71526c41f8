#pragma once
/// Exchanging values between the lanes of a warp, and adding up over them in a fixed order.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/device/launch.hpp"

namespace tessera::cuda
{

/// What `exchange` makes of each 32-bit word of `value`.
template <class T, class Exchange>
__device__ __forceinline__ T by_words(T const& value, Exchange const& exchange)
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    std::uint32_t words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (auto& word : words)
    {
        word = exchange(word);
    }
    T other;
    memcpy(&other, words, sizeof(T));
    return other;
}

/// The value of `value` in `lane`.
template <class T>
__device__ __forceinline__ T shuffle(T const& value, int lane)
{
    return by_words(value, [&](std::uint32_t word) { return __shfl_sync(all_lanes, word, lane); });
}

/// In the lane whose number differs by `mask`.
template <class T>
__device__ __forceinline__ T shuffle_xor(T const& value, int mask)
{
    return by_words(value,
                    [&](std::uint32_t word) { return __shfl_xor_sync(all_lanes, word, mask); });
}

/// Leaves in every lane the merged sums of `lanes` neighboring lanes, a power of two.
template <class Sum>
__device__ __forceinline__ void merge_lanes(Sum& sum, int lanes)
{
    for (int mask = 1; mask < lanes; mask *= 2)
    {
        sum += shuffle_xor(sum, mask);
    }
}

}  // namespace tessera::cuda
