#pragma once

#include <filesystem>

#include "engine/observables.hpp"

namespace tessera
{

/// Writes g(r) as CSV: r [sigma] at bin centers, g, and the pairs counted. Throws IoError.
void write_rdf_file(std::filesystem::path const& path, Rdf const& rdf);

}  // namespace tessera
