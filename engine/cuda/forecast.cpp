#include <fmt/format.h>

#include <limits>
#include <optional>

#include "engine/backend/forecast.hpp"
#include "engine/backend/plan.hpp"
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/particles.hpp"
#include "kernels/arithmetic/compact_position.hpp"

namespace tessera
{
namespace
{

/// Bytes free on a CUDA device; empty if it is not there.
std::optional<std::int64_t> free_memory(int device)
{
    if (device < 0 || device >= cuda_device_count())
    {
        return std::nullopt;
    }
    int before = 0;
    cuda_check(cudaGetDevice(&before), "read the device");
    cuda_check(cudaSetDevice(device), "select the device");
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "read the free device memory");
    cuda_check(cudaSetDevice(before), "select the device");
    return static_cast<std::int64_t>(free);
}

}  // namespace

ArrayBytes forecast_cuda_memory(Config const& config, std::int64_t particle_count, Box const& box)
{
    Plan const plan(config);
    Layout const layout = cuda_layout(plan, config.force.path, particle_count, box);
    auto const row_bytes = [&](std::int64_t slots, std::int64_t slot_bytes) {
        return slice_count(particle_count, layout.lanes) * (slice_rows * slots * slot_bytes + 4);
    };
    ArrayBytes bytes;
    bytes.emplace_back("particles", particle_count * CudaParticles::bytes_per_particle());
    with_forms(plan, [&]<class P, class Slot>() {
        bytes.emplace_back(
            "encoded positions",
            particle_count * (sizeof(P) + (layout.compact ? sizeof(CompactPosition) : 0)));
        bytes.emplace_back("neighbor list", row_bytes(layout.list_slots, 4));
        if (layout.exact_slots > 0)
        {
            bytes.emplace_back("exact list", row_bytes(layout.exact_slots, 4));
        }
        if (layout.column_slots > 0)
        {
            bytes.emplace_back("column list", particle_count * 4 * (layout.column_slots + 1));
        }
        if (layout.chunk_slots > 0)
        {
            bytes.emplace_back("chunks", row_bytes(layout.chunk_slots, Slot::bytes));
        }
    });
    return bytes;
}

std::vector<MemoryForecast> forecast_cuda(Config const& config, std::int64_t particle_count,
                                          Box const& box, StartMemory start)
{
    MemoryForecast host = forecast_host(config, particle_count, start);
    add_arrays(host, {{"places", 4 * particle_count}}, Chunks::whole);
    int const index = config.device.index;
    std::int64_t const free = free_memory(index).value_or(std::numeric_limits<std::int64_t>::max());
    MemoryForecast device{fmt::format("cuda:{}", index), {}, 0, {free, "free on the device"}};
    add_arrays(device, forecast_cuda_memory(config, particle_count, box), Chunks::take_turns);
    return {host, device};
}

}  // namespace tessera
