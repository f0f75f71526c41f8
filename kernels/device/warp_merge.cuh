#pragma once
/// Adding up over the lanes of a warp, in a fixed order.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace tessera::cuda
{

inline constexpr unsigned warp_lanes = 0xFFFFFFFFU;

/// The value of `value` in the lane whose number differs by `mask`.
template <class T>
__device__ __forceinline__ T shuffle_xor(T const& value, int mask)
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 4 == 0);
    std::uint32_t words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (auto& word : words)
    {
        word = __shfl_xor_sync(warp_lanes, word, mask);
    }
    T other;
    memcpy(&other, words, sizeof(T));
    return other;
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
