#pragma once
/// Where coordinates are folded before they are stored in few bits.
///
/// Pair arithmetic needs differences of particles that are near each other and nothing else, so
/// every coordinate is taken modulo an extent little longer than what is near: a whole fraction of
/// a periodic edge, the least that is needed along an open axis. What is stored then has the same
/// resolution wherever particles are, however long the box is and however far one of them has
/// flown.
///
///     particles along an axis    a  b                  c           d
///                                |--+---|-------|-------|-------|---+---|
///     modulo the extent          a  b and c and d may share a place
///
/// A difference folds to the nearest copy, so it is right for pairs up to half an extent apart. Of
/// pairs further apart the folded difference, an alias, is shorter than the true one, but never
/// shorter than the extent less the true one. Whoever tests pairs up to `farthest` apart along an
/// axis against a radius needs an extent of farthest + radius to reject every alias, and of twice
/// the radius to find every pair.

#include <cmath>

#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

struct PairSpace
{
    Vec3<double> extent;      ///< coordinates are stored modulo this [sigma]
    Vec3<double> inv_extent;  ///< [1/sigma]
    Vec3<double> period;      ///< the edge of a periodic axis, 0 of an open one [sigma]
    friend bool operator==(PairSpace const&, PairSpace const&) = default;
};

/// The coordinate modulo the extent, in [0, extent] to rounding: exact, but for the rounding of
/// what is left over. A coordinate so far away that doubles are further apart than the extent, or
/// not finite, gives 0.
TESSERA_HD double fold(double coordinate, double extent, double inv_extent)
{
    double const turns = std::floor(coordinate * inv_extent);
    return std::fabs(turns) < 4503599627370496.0 ? std::fma(-turns, extent, coordinate) : 0.0;
}

/// Above the rounding of every distance and extent that is compared with one, in every precision.
inline constexpr double space_margin = 1.0 + 1e-5;

/// Extents of at least `needed` [sigma] each. A periodic edge shorter than that is the extent
/// itself: then a difference is the nearest copy's whatever the pair.
PairSpace make_pair_space(Box const& box, Vec3<double> needed);

/// For pairs of a list of `list_radius`: until it is built again two of them may be `skin` further
/// apart, and what tests them looks no further than the list radius.
PairSpace listed_space(Box const& box, double list_radius, double skin);

/// Coordinates along an open axis, and edges, go up to this [sigma]: a double then resolves the
/// list radius as finely as a float does, and farther away forces lose digits.
TESSERA_HD constexpr double farthest_held(double list_radius)
{
    return 0x1p29 * list_radius;
}

/// Whether a position is finite and no component is farther from the origin than `farthest`.
TESSERA_HD bool is_held(Vec3<double> position, double farthest)
{
    // A comparison that NaN fails.
    return std::fabs(position.x) <= farthest && std::fabs(position.y) <= farthest &&
           std::fabs(position.z) <= farthest;
}

}  // namespace tessera
