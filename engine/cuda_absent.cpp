/// Built instead of the CUDA backend where there is no CUDA toolkit.

#include "engine/cuda.hpp"
#include "engine/errors.hpp"

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

std::optional<std::int64_t> cuda_free_memory(int /*device*/)
{
    return std::nullopt;
}

std::unique_ptr<Backend> make_cuda_backend(Config const& /*config*/, Notify /*notify*/)
{
    refuse();
}

std::vector<std::pair<std::string, std::int64_t>> forecast_cuda_memory(
    Config const& /*config*/, std::int64_t /*particle_count*/, Box const& /*box*/)
{
    refuse();
}

}  // namespace tessera
