#pragma once
/// LAMMPS data files of atom style atomic, in units lj: sections Masses, Atoms and Velocities.
/// See https://docs.lammps.org/read_data.html

#include <filesystem>

#include "engine/state.hpp"
#include "io/text_output.hpp"

namespace tessera
{

/// Species i becomes type i + 1.
void write_lammps_data(TextOutput& out, State const& state);

/// Reads a data file: orthogonal box, shifted to the origin; ids and positions as they are.
///
/// Type t becomes species t - 1; species_names stays empty; species_mass has the masses, or is
/// empty without a Masses section. Without Velocities they are empty. Throws IoError with file and
/// line.
State read_lammps_data(std::filesystem::path const& path);

}  // namespace tessera
