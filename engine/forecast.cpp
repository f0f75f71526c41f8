#include "engine/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/cpu_backend.hpp"
#include "engine/cuda.hpp"
#include "engine/errors.hpp"
#include "engine/precision.hpp"

namespace tessera
{
namespace
{

std::string in_gigabytes(std::int64_t bytes)
{
    return fmt::format("{:.3g} GB", 1e-9 * static_cast<double>(bytes));
}

void add_up(MemoryForecast& forecast)
{
    for (auto const& [name, bytes] : forecast.arrays)
    {
        bool const takes_turns = forecast.place != "the host" && name == "chunks";
        forecast.needed += takes_turns ? 0 : bytes;
    }
}

/// What the input could ask for instead.
std::string cures(Config const& config, bool on_gpu)
{
    std::string cures = "use fewer particles, a smaller cutoff or skin";
    if (config.force.precision == Precision::double_)
    {
        cures += ", force.precision: mixed";
    }
    if (!on_gpu && config.force.path != ForcePath::gather)
    {
        cures += ", force.path: gather";
    }
    if (config.force.path != ForcePath::reordered && config.neighbor.skin > 0.0 &&
        config.neighbor.rebuild == Rebuild::every_step)
    {
        cures += ", neighbor.rebuild: on_displacement";
    }
    return cures + (on_gpu ? ", or another device" : ", or a machine with more memory");
}

}  // namespace

std::int64_t state_bytes(std::int64_t particle_count)
{
    // Id, species, image; position, velocity, force, list position.
    return particle_count * (8 + 4 + 12 + 4 * 24);
}

ArrayBytes forecast_cpu_memory(Config const& config, std::int64_t particle_count, Box const& box)
{
    double const density = static_cast<double>(particle_count) / box.volume();
    double const cutoff = max_cutoff(config);
    auto const capacity = [&](double radius) {
        return static_cast<std::int64_t>(first_capacity(
            std::min(expected_neighbors(density, radius), static_cast<double>(particle_count))));
    };
    bool const in_double = config.force.precision == Precision::double_;
    bool const packed = packs_chunks(config);
    ForcePath const path = config.force.path;
    bool const reorders = path == ForcePath::reordered || path == ForcePath::automatic;
    bool const prunes = config.neighbor.rebuild == Rebuild::every_step &&
                        config.neighbor.skin > 0.0 && path != ForcePath::reordered;
    std::int64_t const list_bytes = 4 * (capacity(cutoff + config.neighbor.skin) + 1);

    ArrayBytes bytes;
    // Position, velocity, force, list position, their scratch; image and scratch; indices and ids;
    // the cells, fewer than two a particle but in dilute systems.
    bytes.emplace_back("particles", particle_count * (5 * 24 + 2 * 12 + 8 + 8 + 4 * 4 + 2 * 4));
    bytes.emplace_back("encoded positions", particle_count * (in_double ? sizeof(DoublePosition)
                                                                        : sizeof(FixedPosition)));
    bytes.emplace_back("neighbor list", particle_count * list_bytes);
    if (prunes)
    {
        bytes.emplace_back("exact list", particle_count * list_bytes);
    }
    if (reorders)
    {
        std::int64_t const slot_bytes = in_double ? DoubleSlot::bytes
                                        : packed  ? PackedSlot::bytes
                                                  : FloatSlot::bytes;
        bytes.emplace_back("chunks", slice_count(particle_count, 1) *
                                         (slice_rows * capacity(cutoff) * slot_bytes + 4));
    }
    return bytes;
}

std::vector<MemoryForecast> forecast_run(Config const& config, std::int64_t particle_count,
                                         Box const& box, StartMemory start)
{
    bool const on_gpu = device_for(config) == DeviceType::cuda;
    MemoryForecast host{"the host", {}, 0, memory_room()};
    if (start == StartMemory::to_be_taken)
    {
        host.arrays.emplace_back("state", state_bytes(particle_count));
    }
    if (config.output.checkpoint)
    {
        // The file is made in memory and copied once before it is written.
        host.arrays.emplace_back("checkpoint", 2 * state_bytes(particle_count));
    }
    std::vector<MemoryForecast> forecasts;
    if (on_gpu)
    {
        host.arrays.emplace_back("ids and ranks", 12 * particle_count);
        int const device = config.device.index;
        // A device that is not here is refused by whoever needs it.
        std::int64_t const free =
            cuda_free_memory(device).value_or(std::numeric_limits<std::int64_t>::max());
        forecasts.push_back({fmt::format("cuda:{}", device),
                             forecast_cuda_memory(config, particle_count, box),
                             0,
                             {free, "free on the device"}});
    }
    else
    {
        ArrayBytes const arrays = forecast_cpu_memory(config, particle_count, box);
        host.arrays.insert(host.arrays.end(), arrays.begin(), arrays.end());
    }
    forecasts.insert(forecasts.begin(), std::move(host));
    std::for_each(forecasts.begin(), forecasts.end(), add_up);
    return forecasts;
}

void require_memory(Config const& config, std::int64_t particle_count, Box const& box,
                    StartMemory start)
{
    for (MemoryForecast const& forecast : forecast_run(config, particle_count, box, start))
    {
        if (forecast.fits())
        {
            continue;
        }
        std::string arrays;
        for (auto const& [name, bytes] : forecast.arrays)
        {
            arrays += fmt::format("{}{} {}", arrays.empty() ? "" : ", ", name, in_gigabytes(bytes));
        }
        bool const on_gpu = forecast.place != "the host";
        throw ConfigError(fmt::format(
            "memory: {} particles need {} on {}{}, and {} are {} ({}): {}", particle_count,
            in_gigabytes(forecast.needed), forecast.place, on_gpu ? " and room for chunks" : "",
            in_gigabytes(forecast.room.bytes), forecast.room.bound, arrays, cures(config, on_gpu)));
    }
}

void require_machine(Config const& config, std::int64_t particle_count, Box const& box,
                     StartMemory start)
{
    if (device_for(config) == DeviceType::cpu)
    {
        thread_count(config.threads);
    }
    require_memory(config, particle_count, box, start);
}

}  // namespace tessera
