#pragma once
/// What the rest of the engine knows of the CUDA backend. backend.cpp and forecast.cpp define it,
/// or absent.cpp where it is not built: the build chooses sources, and no source asks.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/forecast.hpp"

namespace tessera
{

/// The CUDA backend for the config's precision and chunk format, on device config.device.index.
/// Throws ConfigError if that device, or the backend, is not there.
std::unique_ptr<Backend> make_cuda_backend(Config const& config, Notify notify);

/// How many CUDA devices a run could use; 0 without a driver or the backend.
int cuda_device_count();

/// Bytes by array that make_cuda_backend's backend takes for `particle_count` particles in `box`.
/// Throws ConfigError without the backend.
ArrayBytes forecast_cuda_memory(Config const& config, std::int64_t particle_count, Box const& box);

/// What such a run needs of the host, and of the device config.device.index. A device that is not
/// here has no limit: whoever needs it refuses it.
std::vector<MemoryForecast> forecast_cuda(Config const& config, std::int64_t particle_count,
                                          Box const& box, StartMemory start);

}  // namespace tessera
