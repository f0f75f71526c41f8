#include "io/input/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/backend/plan.hpp"
#include "engine/devices.hpp"
#include "io/yaml/enum_names.hpp"

namespace tessera
{
namespace
{

std::string in_megabytes(std::int64_t bytes)
{
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::string report_memory(Config const& config, Box const& box, std::int64_t count)
{
    std::string text;
    std::int64_t total = 0;
    for (auto const& [array, bytes] : forecast_memory(config, count, box))
    {
        text += fmt::format("#   {}: {}\n", array, in_megabytes(bytes));
        total += bytes;
    }
    text = fmt::format("# memory forecast: {}\n{}", in_megabytes(total), text);
    for (MemoryForecast const& forecast :
         forecast_run(config, count, box, StartMemory::to_be_taken))
    {
        text += fmt::format("# memory needed on {}, with state and output: {}\n", forecast.place,
                            in_megabytes(forecast.needed));
    }
    return text;
}

}  // namespace

double uniform_neighbors(double radius, double density, std::int64_t particle_count)
{
    double const pi = 3.141592653589793;
    return std::min(4.0 / 3.0 * pi * radius * radius * radius * density,
                    static_cast<double>(particle_count - 1));
}

std::string report_input(Config const& config, InputSize const& size)
{
    std::int64_t const count = std::accumulate(size.particles_of_species.begin(),
                                               size.particles_of_species.end(), std::int64_t{0});
    std::string text = fmt::format("# particles: {}\n", count);
    for (std::size_t index = 0; index < size.particles_of_species.size(); ++index)
    {
        text += fmt::format("#   {}: {}\n", config.system.species[index].name,
                            size.particles_of_species[index]);
    }
    Box const& box = size.box;
    double const density = static_cast<double>(count) / box.volume();
    text += fmt::format("# box: [{:.6f}, {:.6f}, {:.6f}], [{}, {}, {}]\n", box.edges.x, box.edges.y,
                        box.edges.z, name_of(box.boundary.x), name_of(box.boundary.y),
                        name_of(box.boundary.z));
    text += fmt::format("# density: {:.6g}\n", density);
    text += report_memory(config, box, count);

    Plan const plan(config);
    double const inside = uniform_neighbors(plan.max_cutoff, density, count);
    double const listed = uniform_neighbors(plan.list_radius, density, count);
    text +=
        fmt::format("# neighbors a particle: {:.1f} within the cutoff {}, {:.1f} with the skin\n",
                    inside, plan.max_cutoff, listed);
    double const evaluations = listed * static_cast<double>(count);
    text += fmt::format("# pair evaluations: {:.3g} a step, {:.3g} in {} steps\n", evaluations,
                        evaluations * static_cast<double>(config.run.steps), config.run.steps);
    return text;
}

}  // namespace tessera
