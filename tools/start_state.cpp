#include "tools/start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "engine/errors.hpp"
#include "engine/forecast.hpp"
#include "engine/initial.hpp"
#include "io/start.hpp"
#include "tools/input_fault.hpp"

namespace tessera
{
namespace
{

/// The smallest sigma of a pair that repels; nothing where none does.
std::optional<double> smallest_sigma(Config const& config)
{
    std::optional<double> smallest;
    for (ResolvedPair const& pair : resolve_pairs(config))
    {
        if (pair.epsilon > 0.0)
        {
            smallest = std::min(pair.sigma, smallest.value_or(pair.sigma));
        }
    }
    return smallest;
}

}  // namespace

State make_start(Config const& config)
{
    auto const* const file = std::get_if<FileConfig>(&config.system.start);
    if (file == nullptr)
    {
        require_machine(config, initial_particle_count(config), initial_box(config),
                        StartMemory::to_be_taken);
        return make_initial_state(config);
    }
    State state = blame_input([&] { return read_start(*file, config.system); });
    complete_file_state(state, config);
    std::string faults;
    for (Problem const& problem : check_box(config, state.box))
    {
        faults += (faults.empty() ? "" : "\n") + file->path.string() + ": " + problem.key + ": " +
                  problem.message;
    }
    if (!faults.empty())
    {
        throw ConfigError(faults);
    }
    return state;
}

void refuse_overlaps(Config const& config, State const& state)
{
    std::optional<double> const sigma = smallest_sigma(config);
    if (!sigma)
    {
        return;
    }
    // At a fifth of sigma the force is 1e10: no time step survives it.
    if (auto const pair = find_closest_below(state, 0.2 * *sigma))
    {
        throw ConfigError(
            fmt::format("system: particles {} and {} are {:.3g} apart: too close for any time "
                        "step; move one of "
                        "them, or start from a lattice",
                        pair->first_id, pair->second_id, pair->distance));
    }
}

}  // namespace tessera
