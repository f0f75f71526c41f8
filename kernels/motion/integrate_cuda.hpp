#pragma once
/// Velocity Verlet on the device, fused: one pass over the particles does every kick and the drift
/// between two force computations.
/// All launchers queue on `stream` and throw CudaError if the launch fails.

#include <cuda_runtime_api.h>

#include "kernels/arithmetic/compact_position.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/device/step_gate.hpp"
#include "kernels/motion/integrate.hpp"

namespace tessera::cuda
{

/// Which half kicks come before the drift.
enum class Kicks : std::uint8_t
{
    first_half,       ///< the step's own first half: the state is complete
    both_halves,      ///< the second half of the step before, then this step's first half
    second_half_only  ///< completes the step; no drift
};

/// Where the drift leaves the new positions for pair arithmetic, and what it compares them with.
template <class P>
struct DriftTarget
{
    P* encoded;                     ///< [particle]
    CompactPosition* compact;       ///< [particle], written instead of encoded unless null
    Vec3<double> const* reference;  ///< [particle] positions at the last list build [sigma]
    std::int64_t const* id;         ///< [particle]
};

/// What may change during a run. It lies in device memory, so that steps that are queued, or were
/// captured, outlive a change.
struct StepParameters
{
    Box box;
    MotionLimits limits;
    PairSpace space;          ///< of the encoded positions
    PairSpace compact_space;  ///< of the compact ones
    double dt;
    std::uint32_t stop_limit;     ///< of gates beyond which steps stop
    std::uint32_t rebuild_limit;  ///< of gates beyond which the device builds lists

    friend bool operator==(StepParameters const&, StepParameters const&) = default;
};

/// Writes `now` to device memory, after what was queued before.
void set_parameters(StepParameters const& now, StepParameters* parameters, cudaStream_t stream);

struct DriftSettings
{
    StepParameters const* parameters;
    Kicks kicks;
    int species_count;  ///< 1 spares the kernel reading species
};

/// v += dt/2 F/m (once or twice); x += dt v; wrap, images, encoded positions; the step's gate gets
/// the largest squared displacement from the reference. A particle that drift() stops stays where
/// it is and closes the gate. Does nothing if the previous step's gate is not open.
template <class P>
void kick_and_drift(ParticleView const& particles, DriftTarget<P> const& target,
                    DriftSettings const& settings, StepGate const& gate, cudaStream_t stream);

/// Encodes `position` [particle] for pair arithmetic.
template <class P>
void encode(Vec3<double> const* position, ParticleView const& particles, PairSpace const& space,
            P* encoded, cudaStream_t stream);

}  // namespace tessera::cuda
