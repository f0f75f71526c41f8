#pragma once

#include <filesystem>

#include "engine/state/observables.hpp"

namespace tessera
{

/// Writes g(r) as CSV: r [sigma] at bin centers, g (empty where the box has no volume), and the
/// pairs counted. A file that is there is replaced in one instant. Throws IoError.
void write_rdf_file(std::filesystem::path const& path, Rdf const& rdf);

/// Whether the file is a g(r) at the same bin centers: an earlier one of the same run may be
/// replaced. Throws IoError if it cannot be read.
bool is_rdf_file(std::filesystem::path const& path, Rdf const& rdf);

/// Whether the file is what write_rdf_file() makes of this g(r).
bool holds_rdf(std::filesystem::path const& path, Rdf const& rdf);

}  // namespace tessera
