#include <algorithm>

#include "engine/cpu_backend.hpp"
#include "engine/precision.hpp"

namespace tessera
{

std::vector<std::pair<std::string, std::int64_t>> forecast_cpu_memory(Config const& config,
                                                                      std::int64_t particle_count,
                                                                      Box const& box)
{
    double const density = static_cast<double>(particle_count) / box.volume();
    double const cutoff = max_cutoff(config);
    auto const capacity = [&](double radius) {
        return static_cast<std::int64_t>(first_capacity(
            std::min(expected_neighbors(density, radius), static_cast<double>(particle_count))));
    };
    bool const in_double = config.force.precision == Precision::double_;
    bool const packed = packs_chunks(config);
    bool const reorders =
        config.force.path == ForcePath::reordered || config.force.path == ForcePath::automatic;
    bool const prunes = config.neighbor.rebuild == Rebuild::every_step &&
                        config.neighbor.skin > 0.0 && config.force.path != ForcePath::reordered;
    std::int64_t const list_bytes = 4 * (capacity(cutoff + config.neighbor.skin) + 1);

    std::vector<std::pair<std::string, std::int64_t>> bytes;
    // Position, velocity, force, list position, their scratch; image and scratch; indices and ids.
    bytes.emplace_back("particles", particle_count * (5 * 24 + 2 * 12 + 8 + 8 + 4 * 4 + 4 * 4));
    bytes.emplace_back("encoded positions", particle_count * (in_double ? 32 : 16));
    bytes.emplace_back("neighbor list", particle_count * list_bytes);
    if (prunes)
    {
        bytes.emplace_back("exact list", particle_count * list_bytes);
    }
    if (reorders)
    {
        int const slot_bytes = in_double ? DoubleSlot::bytes
                               : packed  ? PackedSlot::bytes
                                         : FloatSlot::bytes;
        bytes.emplace_back("chunks", slice_count(particle_count, 1) * slice_rows *
                                         (capacity(cutoff) * slot_bytes + 1));
    }
    return bytes;
}

}  // namespace tessera
