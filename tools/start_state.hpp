#pragma once

#include "engine/config.hpp"
#include "engine/state.hpp"

namespace tessera
{

/// The particles that the input asks for: made, or read from its file and completed.
/// Throws ConfigError, also if the file cannot be read or its box is too small for the cutoffs.
State make_start(Config const& config);

}  // namespace tessera
