#pragma once

#include "engine/state/state.hpp"
#include "io/files/run_info.hpp"
#include "io/hdf5/raii.hpp"

namespace tessera::hdf5
{

/// Creates /parameters with what a run was made from: RunInfo and the species.
Handle write_parameters(Handle const& file, RunInfo const& info, State const& state);
/// What write_parameters() stored; members that a file lacks stay empty.
RunInfo read_parameters(Handle const& file);

/// Names and masses of the species as stored in the attributes of `group`, as many of each, the
/// masses finite and above 0; both empty if the group has none.
void read_species_table(Handle const& group, State& state);

/// "periodic" or "none" for each axis, as H5MD spells them.
std::vector<std::string> boundary_names(Box const& box);
/// Throws IoError on other names.
Vec3<Boundary> boundary_of(std::vector<std::string> const& names);

}  // namespace tessera::hdf5
