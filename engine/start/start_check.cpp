#include "engine/start/start_check.hpp"

#include <fmt/format.h>

#include "engine/config/errors.hpp"
#include "engine/state/overlap.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "kernels/neighbor/cells.hpp"

namespace tessera
{
namespace
{

std::string name_of(State const& state, std::int64_t particle)
{
    auto const index = static_cast<std::size_t>(particle);
    return fmt::format("{} ({})", state.id[index],
                       state.species_names[static_cast<std::size_t>(state.species[index])]);
}

void refuse_far_positions(State const& state, double farthest)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        if (state.box.periodic(axis) && !(state.box.edges[axis] <= farthest))
        {
            throw ConfigError(fmt::format(
                "system: the box is {:.6g} long along {}: coordinates are too coarse for forces "
                "beyond {:.6g}, 2^29 list radii; use a shorter box, or an open boundary",
                state.box.edges[axis], "xyz"[axis], farthest));
        }
    }
    for (std::size_t index = 0; index < state.position.size(); ++index)
    {
        Vec3<double> place = state.position[index];
        for (int axis = 0; axis < 3; ++axis)
        {
            // Along periodic axes positions are folded into the box.
            place[axis] = state.box.periodic(axis) ? 0.0 : place[axis];
        }
        if (!is_held(place, farthest))
        {
            Vec3<double> const& at = state.position[index];
            throw ConfigError(fmt::format(
                "system: particle {} is at ({:.6g}, {:.6g}, {:.6g}): coordinates along open "
                "boundaries are too coarse for forces beyond {:.6g}, 2^29 list radii; leave it "
                "out, or move the system to the origin",
                name_of(state, static_cast<std::int64_t>(index)), at.x, at.y, at.z, farthest));
        }
    }
}

}  // namespace

void refuse_unfit_start(Config const& config, State const& state)
{
    refuse_far_positions(state, farthest_held(max_cutoff(config) + config.neighbor.skin));
    OverlapSearch const search = find_overlaps(state, resolve_pairs(config));
    if (search.worst)
    {
        throw ConfigError(fmt::format(
            "system: particles {} and {} are {:.3g} apart: too close for any time step, which "
            "needs {:.3g} or more between these species; move one of them, or start from a lattice",
            name_of(state, search.worst->first), name_of(state, search.worst->second),
            search.worst->distance, search.worst->core));
    }
}

}  // namespace tessera
