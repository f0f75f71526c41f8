#pragma once

#include <cstdint>
#include <vector>

#include "engine/config/config.hpp"
#include "kernels/arithmetic/box.hpp"

namespace tessera
{

/// Random sequential addition fills space up to 0.3841 with spheres (Zhang and Torquato, Phys. Rev.
/// E 88, 053312 (2013)): density x min_distance^3 = 0.7336. Close to it every addition takes ever
/// more trials.
inline constexpr double saturated_density = 0.7336;

/// density x min_distance^3 that a random start reaches without trouble.
inline constexpr double feasible_density = 0.6;

/// Uniform positions [particle] in the box, one after the other, no two closer than min_distance.
/// Throws ConfigError, naming the density that is feasible, when they do not fit within a bounded
/// number of trials.
std::vector<Vec3<double>> random_positions(RandomConfig const& random, Box const& box,
                                           std::uint64_t seed);

}  // namespace tessera
