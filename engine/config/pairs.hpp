#pragma once

#include <vector>

#include "engine/config/config.hpp"

namespace tessera
{

/// The faults of the potential alone: coefficients, cutoffs, the switch, pairs that are unknown,
/// doubled or missing. Part of check().
std::vector<Problem> check_potential(Config const& config);

}  // namespace tessera
