#include "tools/start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "engine/errors.hpp"
#include "engine/forecast.hpp"
#include "engine/initial.hpp"
#include "io/standard_streams.hpp"

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

State make_start(Input& input)
{
    for (std::string const& notice : input.notices)
    {
        say(notice);
    }
    if (!input.start)
    {
        require_machine(input.config, initial_particle_count(input.config),
                        initial_box(input.config), StartMemory::to_be_taken);
        return make_initial_state(input.config);
    }
    State state = std::move(input.start->state);
    complete_file_state(state, input.config);
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
