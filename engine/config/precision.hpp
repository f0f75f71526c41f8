#pragma once
/// What a run's numbers allow: whether the precision asked for can hold them, and how far packed
/// chunks would round.

#include <string>
#include <vector>

#include "engine/config/config.hpp"

namespace tessera
{

/// Pairs of the config whose lengths, depths or coefficients leave the range of the pair
/// arithmetic, or are too small beside the longest cutoff for its positions. Part of check(); needs
/// the potential to be without other faults.
std::vector<Problem> check_precision(Config const& config);

/// The smallest sigma of a pair that acts (epsilon above 0), or of any if none does [sigma].
double smallest_acting_sigma(Config const& config);

/// Bound of the error of a pair's force that packed displacements make, relative to the force
/// where it is steep: half a step of the longest cutoff / 2^20 (2^19 beyond two species) moves a
/// pair at the smallest sigma by its share of that, and the force goes as about r^-14 there.
double packed_force_error(Config const& config);

/// Beyond this chunks hold floats, whatever format is asked for: packed chunks would be worse than
/// what their name promises at the usual cutoff, 2.5 sigma, by a factor of three.
inline constexpr double most_packed_force_error = 5e-5;

/// Whether chunks are packed: they are asked for, have room for the species, and round little
/// enough.
bool packs_chunks(Config const& config);

/// Says in a sentence that chunks hold floats though packed ones are asked for; empty if not so.
std::string describe_packing(Config const& config);

}  // namespace tessera
