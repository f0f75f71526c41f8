#pragma once

#include <cstdint>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// Particles on a lattice or at random, with species, Maxwell velocities, no total momentum and
/// exactly the asked temperature. Throws ConfigError if the random placement cannot be met.
State make_initial_state(Config const& config);

/// Makes a start of a file's state (engine/start/start_file.hpp): ids ascend, positions are wrapped
/// (along open axes image * edge is added to them), step, time and forces are 0; velocities may be
/// empty. Throws ConfigError where ids are double, numbers not finite or there is no particle.
void settle_file_state(State& state);

/// Gives a settled state new velocities if the input gives a temperature.
void complete_file_state(State& state, Config const& config);

/// The box and particle count that the input leads to, without making the particles
/// (lattice and random starts only).
Box initial_box(Config const& config);
std::int64_t initial_particle_count(Config const& config);

/// Particles of each species [species] that a lattice or random start makes.
std::vector<std::int64_t> initial_species_counts(Config const& config);

/// Maxwell velocities at `temperature` from `seed`, momentum removed mass-weighted, then rescaled
/// to the temperature exactly; all zero at 0.
void set_maxwell_velocities(State& state, double temperature, std::uint64_t seed);

}  // namespace tessera
