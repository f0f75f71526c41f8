#pragma once
/// Sums over the system on the device, in a fixed order and without floating-point atomics: the
/// same state gives the same bytes.
/// All launchers queue on `stream` and throw CudaError if the launch fails.

#include <cuda_runtime_api.h>

#include "kernels/motion/integrate.hpp"

namespace tessera::cuda
{

/// Kinetic tensor and momentum of each 32 particles: warp_sum[particle / 32].
void sum_kinetic(ParticleView const& particles, KineticSum* warp_sum, cudaStream_t stream);

/// total[component] = sum over entries of values[entry][component], for `width` components.
void fold(double const* values, std::int64_t entries, int width, double* total,
          cudaStream_t stream);

/// fault = lowest id of a particle that is not sound (see is_sound).
void find_unsound(ParticleView const& particles, std::int64_t const* id, double dt,
                  MotionLimits const& limits, long long* fault, cudaStream_t stream);

}  // namespace tessera::cuda
