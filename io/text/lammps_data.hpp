#pragma once
/// LAMMPS data files of atom style atomic, in units lj, as its write_data makes them.
/// See https://docs.lammps.org/read_data.html

#include <filesystem>
#include <string_view>

#include "engine/start/start_file.hpp"
#include "engine/state/state.hpp"
#include "io/text/output.hpp"

namespace tessera
{

/// The title of files written here, up to the argument of LAMMPS's command `boundary`, which data
/// files have no other place for.
inline constexpr std::string_view lammps_title = "LAMMPS data file by tessera, units lj, boundary ";

/// Species i becomes type i + 1, its name a comment beside its mass. Images, masses and Velocities
/// are left out where the state has none; along open axes the box is widened to hold every atom.
void write_lammps_data(TextOutput& out, State const& state);

/// Reads a data file: orthogonal box, shifted to the origin; ids and positions as they are.
///
/// Every type is a species, with or without atoms. Its name is that of Atom Type Labels, or the
/// word beside its mass, as a hint; else its number. Masses, Velocities, and Pair Coeffs and PairIJ
/// Coeffs of lj/cut may be there. Whatever else the file holds, other sections, bonds or the
/// columns of other atom styles, is refused by name. Throws IoError with file and line.
StartFile read_lammps_data(std::filesystem::path const& path);

}  // namespace tessera
