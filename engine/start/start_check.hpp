#pragma once

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// Throws ConfigError if a particle is so far from the origin, or a periodic edge so long, that
/// coordinates are too coarse for forces, or if two particles are so close that no time step
/// survives their force.
void refuse_unfit_start(Config const& config, State const& state);

}  // namespace tessera
