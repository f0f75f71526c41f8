#pragma once
/// Asking the second-level cache to keep a part of an array that is larger than itself. Walked
/// round and round, such an array is otherwise evicted just before it is needed again.

#include <cuda_runtime.h>

#include <cstdint>

namespace tessera::cuda
{

/// How 16-byte accesses treat the second-level cache.
enum class Residence : std::uint8_t
{
    unmanaged,
    partly_kept  ///< a share of the addresses is evicted last, the others first
};

template <Residence residence>
struct L2Access;

template <>
struct L2Access<Residence::unmanaged>
{
    __device__ __forceinline__ explicit L2Access(float /*kept_share*/)
    {
    }
    template <class Plane>
    __device__ __forceinline__ Plane load(Plane const* plane) const
    {
        return __ldg(plane);
    }
    template <class Plane>
    __device__ __forceinline__ void store(Plane* plane, Plane value) const
    {
        *plane = value;
    }
};

template <>
struct L2Access<Residence::partly_kept>
{
    std::uint64_t policy;

    /// kept_share in (0, 1].
    __device__ __forceinline__ explicit L2Access(float kept_share)
    {
        asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, %1;"
            : "=l"(policy)
            : "f"(kept_share));
    }
    template <class Plane>
    __device__ __forceinline__ Plane load(Plane const* plane) const
    {
        static_assert(sizeof(Plane) == 16);
        uint4 v;
        asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(plane), "l"(policy));
        Plane loaded;
        memcpy(&loaded, &v, sizeof(v));
        return loaded;
    }
    template <class Plane>
    __device__ __forceinline__ void store(Plane* plane, Plane value) const
    {
        static_assert(sizeof(Plane) == 16);
        uint4 v;
        memcpy(&v, &value, sizeof(v));
        asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(plane),
                     "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(policy)
                     : "memory");
    }
};

}  // namespace tessera::cuda
