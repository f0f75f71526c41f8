#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera
{

/// The verb `validate`: prints the resolved input and, as comments behind it, what it comes to:
/// particles, box, memory and cost. Runs no step and, for a lattice or random start, makes no
/// particles. Returns the exit code 0; throws ConfigError or IoError.
int validate(std::filesystem::path const& input_path, std::vector<std::string> const& overrides);

}  // namespace tessera
