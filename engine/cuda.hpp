#pragma once
/// What the rest of the engine knows of the CUDA backend. cuda_backend.cpp and cuda_forecast.cpp
/// define it, or cuda_absent.cpp where it is not built: the build chooses sources, and no source
/// asks.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend.hpp"

namespace tessera
{

/// The CUDA backend for the config's precision and chunk format, on device config.device.index.
/// Throws ConfigError if that device, or the backend, is not there.
std::unique_ptr<Backend> make_cuda_backend(Config const& config, Notify notify);

/// How many CUDA devices a run could use; 0 without a driver or the backend.
int cuda_device_count();

/// Bytes free on a CUDA device; empty if it, or the backend, is not there.
std::optional<std::int64_t> cuda_free_memory(int device);

/// Bytes by array that make_cuda_backend's backend takes for `particle_count` particles in `box`.
/// Throws ConfigError without the backend.
std::vector<std::pair<std::string, std::int64_t>> forecast_cuda_memory(Config const& config,
                                                                       std::int64_t particle_count,
                                                                       Box const& box);

}  // namespace tessera
