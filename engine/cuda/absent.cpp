/// Built instead of the CUDA backend where there is no CUDA toolkit.

#include "engine/config/errors.hpp"
#include "engine/cuda/cuda.hpp"

namespace tessera
{
namespace
{

[[noreturn]] void refuse()
{
    throw ConfigError(
        "device: cuda: this build has no CUDA backend; use device: cpu or auto, or build with the "
        "CUDA toolkit installed");
}

}  // namespace

int cuda_device_count()
{
    return 0;
}

std::unique_ptr<Backend> make_cuda_backend(Config const& /*config*/, Notify /*notify*/)
{
    refuse();
}

ArrayBytes forecast_cuda_memory(Config const& /*config*/, std::int64_t /*particle_count*/,
                                Box const& /*box*/)
{
    refuse();
}

std::vector<MemoryForecast> forecast_cuda(Config const& /*config*/, std::int64_t /*particle_count*/,
                                          Box const& /*box*/, StartMemory /*start*/)
{
    refuse();
}

}  // namespace tessera
