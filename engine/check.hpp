#pragma once

#include <vector>

#include "engine/config/config.hpp"

namespace tessera
{

/// Every fault that ranges and cross-field rules find, all at once; none of them needs the
/// particles.
std::vector<Problem> check(Config const& config);

}  // namespace tessera
