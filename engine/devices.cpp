#include "engine/devices.hpp"

#include "engine/config/machine.hpp"
#include "engine/config/precision.hpp"
#include "engine/cpu/backend.hpp"
#include "engine/cpu/forecast.hpp"
#include "engine/cuda/cuda.hpp"

namespace tessera
{
namespace
{

bool uses_cuda(Config const& config)
{
    return config.device.type == DeviceType::cuda ||
           (config.device.type == DeviceType::automatic && cuda_device_count() > 0);
}

}  // namespace

DeviceType device_for(Config const& config)
{
    return uses_cuda(config) ? DeviceType::cuda : DeviceType::cpu;
}

std::vector<DeviceConfig> available_devices()
{
    std::vector<DeviceConfig> devices{{DeviceType::cpu, 0}};
    for (int index = 0; index < cuda_device_count(); ++index)
    {
        devices.push_back({DeviceType::cuda, index});
    }
    return devices;
}

std::unique_ptr<Backend> make_backend(Config const& config, Notify notify)
{
    if (std::string const packing = describe_packing(config); !packing.empty())
    {
        notify(packing);
    }
    return uses_cuda(config) ? make_cuda_backend(config, std::move(notify))
                             : make_cpu_backend(config, std::move(notify));
}

ArrayBytes forecast_memory(Config const& config, std::int64_t particle_count, Box const& box)
{
    return uses_cuda(config) ? forecast_cuda_memory(config, particle_count, box)
                             : forecast_cpu_memory(config, particle_count, box);
}

std::vector<MemoryForecast> forecast_run(Config const& config, std::int64_t particle_count,
                                         Box const& box, StartMemory start)
{
    return uses_cuda(config) ? forecast_cuda(config, particle_count, box, start)
                             : forecast_cpu(config, particle_count, box, start);
}

void require_memory(Config const& config, std::int64_t particle_count, Box const& box,
                    StartMemory start)
{
    require_room(config, particle_count, forecast_run(config, particle_count, box, start));
}

void require_machine(Config const& config, std::int64_t particle_count, Box const& box,
                     StartMemory start)
{
    if (!uses_cuda(config))
    {
        thread_count(config.threads);
    }
    require_memory(config, particle_count, box, start);
}

}  // namespace tessera
