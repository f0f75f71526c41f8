#pragma once
/// Copies from global to shared memory that no register passes, and the barriers that tell when
/// they are complete (PTX ISA 8: cp.async, mbarrier; compute capability 9.0).

#include <cstdint>

namespace tessera::cuda
{

__device__ __forceinline__ std::uint32_t shared_address(void const* pointer)
{
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// A barrier in shared memory: a phase completes after `arrivals` arrivals.
struct PhaseBarrier
{
    std::uint64_t state;

    __device__ __forceinline__ void init(int arrivals)
    {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state)),
                     "r"(arrivals)
                     : "memory");
    }
    __device__ __forceinline__ void arrive()
    {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(&state))
                     : "memory");
    }
    /// Arrives when every copy this thread has started so far is complete.
    __device__ __forceinline__ void arrive_after_copies()
    {
        asm volatile(
            "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&state))
            : "memory");
    }
    /// Waits until the phase of this parity is complete.
    __device__ __forceinline__ void wait(unsigned parity)
    {
        asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@done bra ready;\n"
            "bra again;\n"
            "ready:\n"
            "}\n" ::"r"(shared_address(&state)),
            "r"(parity)
            : "memory");
    }
};

/// Starts a copy of 16 bytes, through the first-level cache.
__device__ __forceinline__ void start_copy_16(void* shared, void const* global)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(shared)),
                 "l"(global)
                 : "memory");
}

}  // namespace tessera::cuda
