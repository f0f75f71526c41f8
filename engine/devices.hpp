#pragma once
/// Where a run can be computed, and what it needs there.

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/forecast.hpp"
#include "engine/config/config.hpp"

namespace tessera
{

/// The backend the config asks for; `automatic` takes a GPU where there is one.
/// Throws ConfigError if the device is not there.
std::unique_ptr<Backend> make_backend(Config const& config, Notify notify);

/// The device that it is on: cpu or cuda.
DeviceType device_for(Config const& config);

/// Every device a run could use.
std::vector<DeviceConfig> available_devices();

/// Bytes by array that a run of `particle_count` particles in `box` will take on its device.
ArrayBytes forecast_memory(Config const& config, std::int64_t particle_count, Box const& box);

/// Forecasts of such a run: the host's, and that of the GPU if it runs on one. Asks the machine and
/// the device what they have.
std::vector<MemoryForecast> forecast_run(Config const& config, std::int64_t particle_count,
                                         Box const& box, StartMemory start);

/// Throws ConfigError as require_room() does.
void require_memory(Config const& config, std::int64_t particle_count, Box const& box,
                    StartMemory start);

/// The same, and as thread_count() if the run is on the CPU: what a run needs of the machine, to be
/// asked before anything is made.
void require_machine(Config const& config, std::int64_t particle_count, Box const& box,
                     StartMemory start);

}  // namespace tessera
