#pragma once
/// What may not be written as a result, and what is said of it: the same on every device.

#include <cstdint>
#include <optional>

#include "engine/config/config.hpp"
#include "engine/state/observables.hpp"
#include "engine/state/state.hpp"
#include "kernels/motion/integrate.hpp"

namespace tessera
{

/// What is_sound() and the drift ask for, for the particles of one run.
struct SoundRules
{
    double dt;  ///< [tau]
    MotionLimits limits;
};

SoundRules sound_rules(Config const& config, Box const& box);

/// The lowest id of a particle that is not sound, or whose images or list position cannot be held.
/// Needs every array of the state.
std::optional<std::int64_t> find_unsound(State const& state, SoundRules const& rules);

/// Throws RunError, saying of the particle `id` of `state` (its arrays, ids and box) position,
/// speed, force and nearest neighbor, why `step` cannot be, and what cures it.
[[noreturn]] void stop_at_particle(State const& state, std::int64_t id, std::int64_t step,
                                   SoundRules const& rules);

/// Throws RunError if a sum over the system, or what follows from it, is not finite.
void require_finite(Sample const& sample, Observables const& observables);

}  // namespace tessera
