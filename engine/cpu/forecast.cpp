#include "engine/cpu/forecast.hpp"

#include "engine/backend/plan.hpp"
#include "engine/cpu/particles.hpp"

namespace tessera
{

ArrayBytes forecast_cpu_memory(Config const& config, std::int64_t particle_count, Box const& box)
{
    Plan const plan(config);
    Layout const layout = cpu_layout(plan, config.force.path, particle_count, box);
    ArrayBytes bytes;
    bytes.emplace_back("particles", particle_count * Particles::bytes_per_particle());
    with_forms(plan, [&]<class P, class Slot>() {
        bytes.emplace_back("encoded positions", particle_count * sizeof(P));
        bytes.emplace_back("neighbor list", particle_count * 4 * (layout.list_slots + 1));
        if (layout.exact_slots > 0)
        {
            bytes.emplace_back("exact list", particle_count * 4 * (layout.exact_slots + 1));
        }
        if (layout.chunk_slots > 0)
        {
            bytes.emplace_back("chunks", slice_count(particle_count, 1) *
                                             (slice_bytes<Slot>(layout.chunk_slots) + 4));
        }
    });
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
