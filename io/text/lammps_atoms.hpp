#pragma once

#include <cstdint>

#include "engine/start/start_file.hpp"
#include "io/text/lammps_lines.hpp"

namespace tessera
{

/// Reads the lines of a section Atoms, whose title is the present line, into `state`, with the box
/// moved from `low` to the origin. Styles are atomic, id type x y z [ix iy iz], and charge, angle,
/// bond, molecular and full where charges and molecule numbers are 0: of others something would be
/// dropped, and they are refused by name.
void parse_lammps_atoms(LammpsLines& lines, std::int64_t count, Vec3<double> const& low,
                        TypeOf const& type_of, State& state);

/// Reads the lines of a section Velocities: one for each atom of `state`.
void parse_lammps_velocities(LammpsLines& lines, State& state);

}  // namespace tessera
