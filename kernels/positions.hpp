#pragma once
/// The three forms positions take for pair arithmetic, and how each yields a displacement.
///
///   FixedPosition   32-bit fixed-point fractions of the box (precision mixed): subtraction wraps,
///                   so the minimum image of a periodic axis is free, and the resolution is
///                   extent / 2^32 whatever the size of the box. 16 bytes.
///   FloatPosition   box coordinates in float (precision single). 16 bytes.
///   DoublePosition  box coordinates in double (precision double). 32 bytes.
///
/// Each names the `Real` of its pair arithmetic. encode() makes one from a double position;
/// displacement(a, b) is a - b, nearest copy, in [sigma].

#include <cmath>
#include <cstdint>

#include "kernels/box.hpp"
#include "kernels/host_device.hpp"
#include "kernels/vec3.hpp"

namespace tessera
{

/// How box coordinates map to the pair arithmetic, per axis.
///
/// Periodic axis: origin 0, extent = period = edge. Open axis: period 0, and [origin, origin +
/// extent) must hold every particle with at least half the extent to spare, so that a fixed-point
/// subtraction never folds.
struct PairSpace
{
    Vec3<double> origin;
    Vec3<double> extent;
    Vec3<double> period;
};

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
            double const period = space.period[axis];
            s.period[axis] = static_cast<float>(period);
            s.inv_period[axis] = period > 0.0 ? static_cast<float>(1.0 / period) : 0.0F;
        }
        return s;
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
};

/// Rounds a box coordinate to the nearest fixed-point step; the upper face wraps to 0.
TESSERA_HD std::uint32_t to_fixed(double coordinate, double origin, double steps_per_length)
{
    double const steps = (coordinate - origin) * steps_per_length;
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(steps + 0.5));
}

TESSERA_HD void encode(Vec3<double> position, int species, PairSpace const& space,
                       FixedPosition& encoded)
{
    encoded = {to_fixed(position.x, space.origin.x, fixed_steps / space.extent.x),
               to_fixed(position.y, space.origin.y, fixed_steps / space.extent.y),
               to_fixed(position.z, space.origin.z, fixed_steps / space.extent.z), species};
}

TESSERA_HD void encode(Vec3<double> position, int species, PairSpace const&, FloatPosition& encoded)
{
    encoded = {static_cast<float>(position.x), static_cast<float>(position.y),
               static_cast<float>(position.z), species};
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

/// Encoded positions in memory order, with the scale of their displacements.
template <class P>
struct PositionView
{
    P const* position;  ///< [particle]
    std::int64_t count;
    typename P::Scale scale;
};

}  // namespace tessera
