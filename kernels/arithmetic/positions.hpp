#pragma once
/// The three forms positions take for pair arithmetic, and how each yields a displacement.
///
///   FixedPosition   32-bit fixed-point fractions of the extents (precision mixed): subtraction
///                   wraps, so the nearest copy is free, and the resolution is extent / 2^32. 16
///                   bytes.
///   FloatPosition   coordinates modulo the extents in float (precision single). 16 bytes.
///   DoublePosition  box coordinates in double (precision double). 32 bytes.
///
/// Extents are those of kernels/arithmetic/pair_space.hpp. Each form names the `Real` of its pair
/// arithmetic. encode() makes one from a double position; displacement(a, b) is a - b, nearest
/// copy, in [sigma], of pairs that the extents are long enough for.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

inline constexpr double fixed_steps = 4294967296.0;  // 2^32 steps span the extent

struct alignas(16) FixedPosition
{
    using Real = float;
    std::uint32_t x, y, z;
    std::int32_t species;

    /// Multipliers from fixed-point steps to [sigma].
    struct Scale
    {
        Vec3<float> step;
    };

    static Scale scale(PairSpace const& space)
    {
        return {{static_cast<float>(space.extent.x / fixed_steps),
                 static_cast<float>(space.extent.y / fixed_steps),
                 static_cast<float>(space.extent.z / fixed_steps)}};
    }

    /// How far storing two coordinates may move their difference: half a step each [sigma].
    static double resolution(double extent)
    {
        return extent / fixed_steps;
    }
};

struct alignas(16) FloatPosition
{
    using Real = float;
    float x, y, z;
    std::int32_t species;

    struct Scale
    {
        Vec3<float> period, inv_period;
    };

    static Scale scale(PairSpace const& space)
    {
        Scale s{};
        for (int axis = 0; axis < 3; ++axis)
        {
            s.period[axis] = static_cast<float>(space.extent[axis]);
            s.inv_period[axis] = static_cast<float>(space.inv_extent[axis]);
        }
        return s;
    }

    /// Each coordinate and the period round by half a unit in their last place, 2^-24 of them at
    /// most.
    static double resolution(double extent)
    {
        return 3.0 * 0x1p-24 * extent;
    }
};

struct alignas(32) DoublePosition
{
    using Real = double;
    double x, y, z;
    std::int64_t species;

    struct Scale
    {
        Vec3<double> period, inv_period;
    };

    static Scale scale(PairSpace const& space)
    {
        Scale s{};
        for (int axis = 0; axis < 3; ++axis)
        {
            double const period = space.period[axis];
            s.period[axis] = period;
            s.inv_period[axis] = period > 0.0 ? 1.0 / period : 0.0;
        }
        return s;
    }

    /// The coordinates are the particle's own; only the fold rounds.
    static double resolution(double extent)
    {
        return 0x1p-52 * extent;
    }
};

/// The coordinate modulo the extent, to the nearest of 2^32 steps; the upper face wraps to 0.
TESSERA_HD std::uint32_t to_fixed(double coordinate, double extent, double inv_extent)
{
    double const steps = fold(coordinate, extent, inv_extent) * (fixed_steps * inv_extent);
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(steps + 0.5));
}

TESSERA_HD void encode(Vec3<double> position, int species, PairSpace const& space,
                       FixedPosition& encoded)
{
    encoded = {to_fixed(position.x, space.extent.x, space.inv_extent.x),
               to_fixed(position.y, space.extent.y, space.inv_extent.y),
               to_fixed(position.z, space.extent.z, space.inv_extent.z), species};
}

TESSERA_HD void encode(Vec3<double> position, int species, PairSpace const& space,
                       FloatPosition& encoded)
{
    encoded = {static_cast<float>(fold(position.x, space.extent.x, space.inv_extent.x)),
               static_cast<float>(fold(position.y, space.extent.y, space.inv_extent.y)),
               static_cast<float>(fold(position.z, space.extent.z, space.inv_extent.z)), species};
}

TESSERA_HD void encode(Vec3<double> position, int species, PairSpace const&,
                       DoublePosition& encoded)
{
    encoded = {position.x, position.y, position.z, species};
}

TESSERA_HD Vec3<float> displacement(FixedPosition const& a, FixedPosition const& b,
                                    FixedPosition::Scale const& scale)
{
    return {static_cast<float>(static_cast<std::int32_t>(a.x - b.x)) * scale.step.x,
            static_cast<float>(static_cast<std::int32_t>(a.y - b.y)) * scale.step.y,
            static_cast<float>(static_cast<std::int32_t>(a.z - b.z)) * scale.step.z};
}

/// Float and double coordinates share the arithmetic and differ in precision alone.
template <class P>
TESSERA_HD Vec3<typename P::Real> displacement(P const& a, P const& b,
                                               typename P::Scale const& scale)
{
    return {minimum_image(a.x - b.x, scale.period.x, scale.inv_period.x),
            minimum_image(a.y - b.y, scale.period.y, scale.inv_period.y),
            minimum_image(a.z - b.z, scale.period.z, scale.inv_period.z)};
}

/// Bound on how far the arithmetic of a displacement moves a distance of up to `longest` [sigma]:
/// each component by the resolution and, relative to it, three roundings (of a step or a period, a
/// conversion or a difference, and a product); the square by three more and that of what it is
/// compared with, which is half as much in the distance.
template <class P>
double distance_rounding(PairSpace const& space, double longest)
{
    constexpr double unit = sizeof(typename P::Real) == 4 ? 0x1p-24 : 0x1p-53;
    double sum = 0.0;
    double period = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double const moved = P::resolution(space.extent[axis]);
        sum += moved * moved;
        period = std::max(period, space.period[axis]);
    }
    // Two fractions of an edge add up to it within the rounding of doubles.
    return std::sqrt(sum) + 6.0 * unit * longest + 0x1p-50 * period;
}

/// Half the shortest periodic edge, less what rounds there [sigma]; infinite in an open box. A pair
/// exactly half an edge apart has two copies at the same distance, and neither is the nearest: it
/// counts as beyond any cutoff, however its distance rounds.
template <class P>
double nearest_copy_limit(Box const& box)
{
    double limit = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis)
    {
        if (box.periodic(axis))
        {
            double const edge = box.edges[axis];
            Vec3<double> const one_axis{edge, 0.0, 0.0};
            limit = std::min(
                limit, 0.5 * edge - distance_rounding<P>({one_axis, {}, one_axis}, 0.5 * edge));
        }
    }
    return limit;
}

/// Encoded positions in memory order, with the scale of their displacements.
template <class P>
struct PositionView
{
    P const* position;  ///< [particle]
    std::int64_t count;
    typename P::Scale scale;
};

namespace cpu
{

/// Encodes `position` [particle] for pair arithmetic.
template <class P>
void encode(Vec3<double> const* position, std::int32_t const* species, std::int64_t count,
            PairSpace const& space, P* encoded);

}  // namespace cpu
}  // namespace tessera
