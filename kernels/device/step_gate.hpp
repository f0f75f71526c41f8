#pragma once
/// How a run of steps stops on the device by itself: no step asks the host.
///
/// Each step has one word, the largest squared distance [sigma^2] of a particle from where the
/// neighbor lists were built, as the bits of a float (which order like the floats). Kernels of a
/// step do nothing if its word is above the limit: the lists are no longer proven complete, or
/// something closed the gate. The drift of the next step then closes its own gate too, so
/// everything queued after the first closed gate is skipped, and the host finds the state exactly
/// as that step's drift left it.

#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"

namespace tessera::cuda
{

inline constexpr std::uint32_t gate_closed = 0xFFFFFFFFU;
inline constexpr std::uint32_t gate_infinity = 0x7F800000U;  ///< bits of the float infinity

inline constexpr long long nobody = 0x7FFFFFFFFFFFFFFF;  ///< no particle's id

/// What kernels found out; integers only, so that the order of atomics does not matter.
struct StepFaults
{
    unsigned long long list_slots = 0;   ///< slots that the longest list row needs
    unsigned long long chunk_slots = 0;  ///< slots that the longest chunk row needs
    long long runaway = nobody;          ///< lowest id of a particle that may not move on
    long long unsound = nobody;          ///< lowest id of a particle that is not sound
    unsigned long long neighbors = 0;    ///< neighbors counted over all particles
    unsigned long long most_neighbors = 0;
    unsigned long long builds = 0;  ///< lists built by the device itself
};

struct StepGate
{
    std::uint32_t const* previous;  ///< the word of the step before; null: open
    std::uint32_t* present;         ///< this step's word; null: open
    std::uint32_t const* limit;     ///< bits of the largest allowed square; null: any
    StepFaults* faults;

    TESSERA_HD bool open() const
    {
        return present == nullptr || !exceeds(*present);
    }
    TESSERA_HD bool exceeds(std::uint32_t word) const
    {
        return word > (limit != nullptr ? *limit : gate_infinity);
    }
};

#if defined(__CUDACC__)
/// Stops everything queued after this step.
__device__ __forceinline__ void close(StepGate const& gate)
{
    if (gate.present != nullptr)
    {
        atomicMax(gate.present, gate_closed);
    }
}
#endif

}  // namespace tessera::cuda
