#pragma once
/// Extended XYZ, which OVITO, ASE and VMD read: for each frame the particle count, a line with
///   Lattice="Lx 0 0 0 Ly 0 0 0 Lz" Origin="x y z" pbc="T T T" Step=... Time=...
///   Properties=species:S:1:pos:R:3:image:I:3:velo:R:3:id:I:1:mass:R:1
/// and a line for each particle. Lengths in [sigma], velocities in [sigma/tau], masses in [m].

#include <cstdint>
#include <filesystem>
#include <optional>

#include "engine/start/start_file.hpp"
#include "engine/state/state.hpp"
#include "io/text/output.hpp"

namespace tessera
{

/// Appends one frame. Image, velocity and mass are left out where the state has none; along open
/// axes the box is widened to hold every particle, and Origin then says where it begins.
void write_xyz(TextOutput& out, State const& state);

/// Reads a frame, 0-based, or the last. Lattice must be there and orthogonal; Origin and pbc may
/// be; of the properties species and pos must be there; image, velo (or vel, velocity), id and mass
/// (or masses, one for each species) may be. A charge other than 0 is refused, further properties
/// are noticed.
///
/// Ids and positions are as in the file, with the box at the origin; without ids they are 1..N.
/// Species are in order of appearance. Throws IoError with file and line.
StartFile read_xyz(std::filesystem::path const& path, std::optional<std::int64_t> frame);

}  // namespace tessera
