#include "engine/backend.hpp"

#include "engine/cpu_backend.hpp"
#include "engine/errors.hpp"

namespace tessera
{

std::vector<DeviceConfig> available_devices()
{
    return {{DeviceType::cpu, 0}};
}

std::unique_ptr<Backend> make_backend(Config const& config, Notify notify)
{
    if (config.device.type == DeviceType::cuda)
    {
        throw ConfigError(
            "device: cuda: this build has no CUDA backend; use device: cpu or auto, or build with "
            "the "
            "CUDA toolkit installed");
    }
    return make_cpu_backend(config, std::move(notify));
}

std::vector<std::pair<std::string, std::int64_t>> forecast_memory(Config const& config,
                                                                  std::int64_t particle_count,
                                                                  Box const& box)
{
    return forecast_cpu_memory(config, particle_count, box);
}

}  // namespace tessera
