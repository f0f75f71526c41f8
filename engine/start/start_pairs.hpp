#pragma once

#include <vector>

#include "engine/start/start_file.hpp"

namespace tessera
{

/// The part of take_start_file() that is about pair coefficients: those of the file are taken for
/// pairs that the input does not spell out, held against the others. `indices` are the config's
/// species of the file's.
void take_pairs(Config& config, InputStatements const& said, StartFile const& file,
                std::vector<std::size_t> const& indices, std::vector<Problem>& problems);

}  // namespace tessera
