#pragma once

#include <filesystem>

#include "engine/observables.hpp"

namespace tessera
{

/// Writes g(r) as CSV: r [sigma] at bin centers, g (empty where the box has no volume), and the
/// pairs counted. What was at `path` is replaced in one instant. Throws IoError.
void write_rdf_file(std::filesystem::path const& path, Rdf const& rdf);

}  // namespace tessera
