#include "engine/backend/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/backend/plan.hpp"
#include "engine/config/errors.hpp"
#include "kernels/motion/attributes.hpp"

namespace tessera
{
namespace
{

std::string in_gigabytes(std::int64_t bytes)
{
    return fmt::format("{:.3g} GB", 1e-9 * static_cast<double>(bytes));
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
    // On a GPU the path shoc has a list of its own in any case.
    bool const may_prune = config.force.path != ForcePath::reordered &&
                           !(on_gpu && config.force.path == ForcePath::shoc);
    if (may_prune && Plan(config).prunes())
    {
        cures += ", neighbor.rebuild: on_displacement";
    }
    return cures + (on_gpu ? ", or another device" : ", or a machine with more memory");
}

}  // namespace

std::int64_t state_bytes(std::int64_t particle_count)
{
    return particle_count * (attribute_bytes<ParticleAttributes>() + sizeof(Vec3<double>));
}

void add_arrays(MemoryForecast& forecast, ArrayBytes const& arrays, Chunks chunks)
{
    for (auto const& [name, bytes] : arrays)
    {
        forecast.arrays.emplace_back(name, bytes);
        forecast.needed += chunks == Chunks::take_turns && name == "chunks" ? 0 : bytes;
    }
}

MemoryForecast forecast_host(Config const& config, std::int64_t particle_count, StartMemory start)
{
    MemoryForecast host{host_place, {}, 0, memory_room()};
    ArrayBytes arrays;
    if (start == StartMemory::to_be_taken)
    {
        arrays.emplace_back("state", state_bytes(particle_count));
    }
    if (config.output.checkpoint)
    {
        // The file is made in memory and copied once before it is written.
        arrays.emplace_back("checkpoint", 2 * state_bytes(particle_count));
    }
    add_arrays(host, arrays, Chunks::whole);
    return host;
}

void require_room(Config const& config, std::int64_t particle_count,
                  std::vector<MemoryForecast> const& forecasts)
{
    for (MemoryForecast const& forecast : forecasts)
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
        bool const on_gpu = forecast.place != host_place;
        throw ConfigError(fmt::format(
            "memory: {} particles need {} on {}{}, and {} are {} ({}): {}", particle_count,
            in_gigabytes(forecast.needed), forecast.place, on_gpu ? " and room for chunks" : "",
            in_gigabytes(forecast.room.bytes), forecast.room.bound, arrays, cures(config, on_gpu)));
    }
}

}  // namespace tessera
