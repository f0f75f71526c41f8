#pragma once

#include "engine/config.hpp"
#include "engine/state.hpp"

namespace tessera
{

/// The particles that the input asks for: made, or read from its file and completed.
/// Throws ConfigError, also if the file cannot be read, its box is too small for the cutoffs, or
/// the machine lacks what a run of so many made particles needs.
State make_start(Config const& config);

}  // namespace tessera
