#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/config/config.hpp"

namespace tessera
{

/// What the particles of an input come to.
struct InputSize
{
    Box box;
    std::vector<std::int64_t> particles_of_species;  ///< [species]
};

/// Neighbors a particle has within `radius` [sigma] in a uniform fluid, 4/3 pi radius^3 rho, at
/// most all others.
double uniform_neighbors(double radius, double density, std::int64_t particle_count);

/// Particle counts, box, density, memory by array and the cost of a step, one `# name: value` a
/// line, so that behind a resolved input it is a comment.
std::string report_input(Config const& config, InputSize const& size);

}  // namespace tessera
