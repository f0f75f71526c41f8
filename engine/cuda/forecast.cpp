#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "engine/backend/forecast.hpp"
#include "engine/backend/list_capacity.hpp"
#include "engine/config/precision.hpp"
#include "engine/cuda/backend.hpp"

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
    ForcePath const path = config.force.path;
    bool const in_double = config.force.precision == Precision::double_;
    bool const packed = packs_chunks(config);
    int const lanes = CudaLists<FixedPosition>::lanes_for(path, particle_count, config.force.lanes);
    double const density = static_cast<double>(particle_count) / box.volume();
    auto const row_slots = [&](double radius) {
        double const expected =
            std::min(expected_neighbors(density, radius), static_cast<double>(particle_count));
        return static_cast<std::int64_t>(first_row_capacity(expected, lanes));
    };
    double const cutoff = max_cutoff(config);
    bool const reorders = path == ForcePath::reordered || path == ForcePath::automatic;
    bool const prunes = (path == ForcePath::gather || path == ForcePath::automatic) &&
                        config.neighbor.rebuild == Rebuild::every_step &&
                        config.neighbor.skin > 0.0;
    std::int64_t const list_slots = row_slots(cutoff + config.neighbor.skin);
    std::int64_t const slices = slice_count(particle_count, lanes);
    auto const row_bytes = [&](std::int64_t slots, std::int64_t slot_bytes) {
        return slices * (slice_rows * slots * slot_bytes + 4);
    };

    ArrayBytes bytes;
    bytes.emplace_back("particles", particle_count * CudaParticles::bytes_per_particle());
    // 8 bytes more where steps may move compact positions.
    bool const periodic = box.periodic(0) && box.periodic(1) && box.periodic(2);
    bool const compact = reorders && periodic && packed &&
                         config.force.precision == Precision::mixed &&
                         config.system.species.size() == 1 && lanes == 1 &&
                         particle_count > CudaLists<FixedPosition>::most_for_brute_force;
    bytes.emplace_back(
        "encoded positions",
        particle_count * ((in_double ? sizeof(DoublePosition) : sizeof(FixedPosition)) +
                          (compact ? sizeof(CompactPosition) : 0)));
    bytes.emplace_back("neighbor list", row_bytes(list_slots, 4));
    if (prunes)
    {
        bytes.emplace_back("exact list", row_bytes(row_slots(cutoff), 4));
    }
    if (path == ForcePath::shoc)
    {
        bytes.emplace_back("column list", particle_count * 4 * (list_slots + 1));
    }
    if (reorders)
    {
        std::int64_t const slot = in_double ? DoubleSlot::bytes
                                  : packed  ? PackedSlot::bytes
                                            : FloatSlot::bytes;
        bytes.emplace_back("chunks", row_bytes(row_slots(cutoff), slot));
    }
    return bytes;
}

std::vector<MemoryForecast> forecast_cuda(Config const& config, std::int64_t particle_count,
                                          Box const& box, StartMemory start)
{
    MemoryForecast host = forecast_host(config, particle_count, start);
    add_arrays(host, {{"ids and ranks", 12 * particle_count}}, Chunks::whole);
    int const index = config.device.index;
    std::int64_t const free = free_memory(index).value_or(std::numeric_limits<std::int64_t>::max());
    MemoryForecast device{fmt::format("cuda:{}", index), {}, 0, {free, "free on the device"}};
    add_arrays(device, forecast_cuda_memory(config, particle_count, box), Chunks::take_turns);
    return {host, device};
}

}  // namespace tessera
