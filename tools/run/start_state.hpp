#pragma once

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"
#include "io/input/input.hpp"

namespace tessera
{

/// The particles that the input asks for: made, or those of its file completed, which are moved out
/// of it. Says on stderr what the input has to be known of. Throws ConfigError, also if the machine
/// lacks what a run of so many made particles needs.
State make_start(Input& input);

}  // namespace tessera
