#pragma once
/// The Lennard-Jones melt that benchmarks of the engine run: density 0.8442, cutoff 2.5, dt 0.005,
/// started as an fcc crystal at temperature 1.44.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"
#include "tools/bench/bench.hpp"

namespace tessera
{

/// The melt of about `particles` particles, rounded to a cube of fcc cells, as an input would give
/// it. Throws ConfigError if an option is none that an input may have.
Config melt_config(MeltOptions const& options, std::int64_t particles, std::string const& path);

/// Forces of some particles by every pair in double.
struct ReferenceForces
{
    std::vector<std::int64_t> particle;
    std::vector<Vec3<double>> force;
};

/// Of `samples` particles, evenly spread over the state, or of all if there are fewer.
/// O(samples N).
ReferenceForces reference_forces(Config const& config, State const& state, std::int64_t samples);

/// Errors of forces, relative to the rms force.
struct MeltForceError
{
    double rms = 0.0, largest = 0.0;
};

/// Of the state's forces against the reference at the same positions.
MeltForceError force_error(ReferenceForces const& reference, State const& state);

}  // namespace tessera
