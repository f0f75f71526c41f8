#include <algorithm>

#include "engine/cpu_lists.hpp"
#include "engine/cuda_backend.hpp"
#include "engine/precision.hpp"

namespace tessera
{

std::vector<std::pair<std::string, std::int64_t>> forecast_cuda_memory(Config const& config,
                                                                       std::int64_t particle_count,
                                                                       Box const& box)
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
    std::int64_t const list_slots = row_slots(cutoff + config.neighbor.skin);
    std::int64_t const rows = slice_count(particle_count, lanes) * slice_rows;

    std::vector<std::pair<std::string, std::int64_t>> bytes;
    bytes.emplace_back("particles", particle_count * CudaParticles::bytes_per_particle());
    bytes.emplace_back("encoded positions", particle_count * (in_double ? 32 : 24));
    bytes.emplace_back("neighbor list", rows * list_slots * 4);
    if (path == ForcePath::gather && config.neighbor.rebuild == Rebuild::every_step)
    {
        bytes.emplace_back("exact list", rows * row_slots(cutoff) * 4);
    }
    if (path == ForcePath::shoc)
    {
        bytes.emplace_back("column list", particle_count * list_slots * 4);
    }
    if (path == ForcePath::reordered || path == ForcePath::automatic)
    {
        std::int64_t const slot = in_double ? DoubleSlot::bytes
                                  : packed  ? PackedSlot::bytes
                                            : FloatSlot::bytes;
        bytes.emplace_back("chunks", rows * row_slots(cutoff) * slot);
    }
    return bytes;
}

}  // namespace tessera
