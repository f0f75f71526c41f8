#pragma once

#include "engine/state/state.hpp"
#include "io/text/output.hpp"

namespace tessera
{

/// Appends one frame as a LAMMPS text dump (.lammpstrj), which OVITO, VMD and MDAnalysis read:
/// columns id type x y z ix iy iz vx vy vz, positions folded, unscaled; species i is type i + 1.
/// Images and velocities are left out where the state has none; along open axes the bounds are
/// widened to hold every particle.
void write_lammps_dump(TextOutput& out, State const& state);

}  // namespace tessera
