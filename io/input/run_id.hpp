#pragma once

#include <string>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// What tells a run from others, as 32 hexadecimal digits: a hash (XXH3-128) of its start (box,
/// ids, species, masses, positions, images, velocities) and of what cannot change while it runs:
/// the input's system, potential, ensemble and dt. Length, outputs, device, threads, lists and
/// paths do not enter, and neither does the time of day: equal runs have equal ids.
///
/// Computed once, at the start of a run; resumed ones keep it.
std::string make_run_id(Config const& config, State const& start);

}  // namespace tessera
