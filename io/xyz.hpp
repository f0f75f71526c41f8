#pragma once
/// Extended XYZ, which OVITO, ASE and VMD read: for each frame the particle count, a line with
///   Lattice="Lx 0 0 0 Ly 0 0 0 Lz" Properties=species:S:1:pos:R:3:image:I:3:velo:R:3:id:I:1
///   pbc="T T T" Step=... Time=...
/// and a line for each particle. Lengths in [sigma], velocities in [sigma/tau].

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/state.hpp"
#include "io/text_output.hpp"

namespace tessera
{

/// Appends one frame.
void write_xyz(TextOutput& out, State const& state);

/// Reads a frame, 0-based, or the last. Lattice must be there and orthogonal; Origin, pbc, Step and
/// Time may be; of the properties species and pos must be there, image, velo (or vel, velocity) and
/// id may be, others are skipped.
///
/// Ids and positions are as in the file, with the box at the origin; without ids they are 1..N.
/// species_names are those of the file in order of appearance, species_mass stays empty. Throws
/// IoError with file and line.
State read_xyz(std::filesystem::path const& path, std::optional<std::int64_t> frame);

}  // namespace tessera
