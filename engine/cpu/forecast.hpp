#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/forecast.hpp"
#include "engine/config/config.hpp"

namespace tessera
{

/// Bytes by array that the CPU backend takes for `particle_count` particles in `box`.
ArrayBytes forecast_cpu_memory(Config const& config, std::int64_t particle_count, Box const& box);

/// What such a run needs of the host, all in all.
std::vector<MemoryForecast> forecast_cpu(Config const& config, std::int64_t particle_count,
                                         Box const& box, StartMemory start);

}  // namespace tessera
