#include "engine/cpu/forecast.hpp"

#include <algorithm>

#include "engine/config/precision.hpp"
#include "engine/cpu/lists.hpp"
#include "kernels/arithmetic/chunk.hpp"

namespace tessera
{

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

std::vector<MemoryForecast> forecast_cpu(Config const& config, std::int64_t particle_count,
                                         Box const& box, StartMemory start)
{
    MemoryForecast host = forecast_host(config, particle_count, start);
    add_arrays(host, forecast_cpu_memory(config, particle_count, box), Chunks::whole);
    return {host};
}

}  // namespace tessera
