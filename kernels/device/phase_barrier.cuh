#pragma once
/// Barriers between warps that hand shared memory to each other (PTX ISA 8: mbarrier; compute
/// capability 9.0).

#include <cstdint>

namespace tessera::cuda
{

/// A barrier in shared memory: a phase completes after `arrivals` arrivals.
struct PhaseBarrier
{
    std::uint64_t state;

    __device__ __forceinline__ std::uint32_t address() const
    {
        return static_cast<std::uint32_t>(__cvta_generic_to_shared(&state));
    }
    __device__ __forceinline__ void init(int arrivals)
    {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals)
                     : "memory");
    }
    __device__ __forceinline__ void arrive()
    {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
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
            "}\n" ::"r"(address()),
            "r"(parity)
            : "memory");
    }
};

}  // namespace tessera::cuda
