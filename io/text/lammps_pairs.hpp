#pragma once

#include <cstddef>
#include <vector>

#include "engine/start/start_file.hpp"
#include "io/text/lammps_lines.hpp"

namespace tessera
{

/// Reads the lines of a section Pair Coeffs, a type, epsilon, sigma and perhaps a cutoff, or PairIJ
/// Coeffs, with two types, whose title is the present line. A pair style beside the title must be
/// lj/cut. Fails on a pair that is among `pairs` already.
void parse_lammps_pairs(LammpsLines& lines, std::size_t types, TypeOf const& type_of,
                        std::vector<FilePair>& pairs);

}  // namespace tessera
