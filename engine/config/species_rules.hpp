#pragma once

#include <vector>

#include "engine/config/config.hpp"

namespace tessera
{

/// The faults of the species alone: names, masses and fractions. Part of check().
std::vector<Problem> check_species(SystemConfig const& system);

}  // namespace tessera
