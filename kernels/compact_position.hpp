#pragma once
/// Positions in 8 bytes, for gathers that are bound by how many lines they touch.
///
/// Each coordinate is fixed point modulo a whole fraction of the box edge, edge / k, chosen just
/// above twice the farthest listed neighbor: differences wrap to the nearest copy for free, and the
/// resolution, 3e-6 sigma, is that of a packed chunk in a box of any size.
///
///     bit     0       11      32      43      64
///             |  z    |  x    |  z    |  y    |
///               11 low  21      11 high  21
///
/// A whole word serves as the 32-bit coordinate x or y, so that it costs nothing to take apart: the
/// part of z below is allowed for when x and y are rounded.
///
/// Periodic boxes and one species only. f_ij = -f_ji holds bit for bit.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/positions.hpp"

namespace tessera
{

struct alignas(8) CompactPosition
{
    using Real = float;
    static constexpr std::int32_t species = 0;
    std::uint32_t low, high;

    /// Multipliers from 2^-32 of the extent to [sigma].
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

/// Fractions of the edges for neighbors up to `farthest` [sigma] away, nearest copy.
inline PairSpace compact_space(Box const& box, double farthest)
{
    PairSpace space{};
    for (int axis = 0; axis < 3; ++axis)
    {
        double const fractions = std::floor(box.edges[axis] / (2.0 * farthest * (1.0 + 1e-5)));
        space.extent[axis] = box.edges[axis] / std::max(fractions, 1.0);
        space.period[axis] = space.extent[axis];
    }
    return space;
}

/// The coordinate modulo the extent, in 2^-32 of it.
TESSERA_HD std::uint32_t to_fraction(double coordinate, double extent)
{
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(coordinate * (fixed_steps / extent) + 0.5));
}

/// The word nearest to `fraction` whose lowest 11 bits are `low`.
TESSERA_HD std::uint32_t round_above(std::uint32_t fraction, std::uint32_t low)
{
    return ((fraction - low + 0x400U) & 0xFFFFF800U) | low;
}

TESSERA_HD void encode(Vec3<double> position, int /*species*/, PairSpace const& space,
                       CompactPosition& encoded)
{
    std::uint32_t const z = (to_fraction(position.z, space.extent.z) + 0x200U) >> 10;
    encoded = {round_above(to_fraction(position.x, space.extent.x), z & 0x7FFU),
               round_above(to_fraction(position.y, space.extent.y), z >> 11)};
}

/// The coordinates as 32-bit fractions of the extents.
TESSERA_HD Vec3<std::uint32_t> fractions(CompactPosition const& a)
{
    return {a.low, a.high, (a.high << 21) | ((a.low << 21) >> 11)};
}

TESSERA_HD Vec3<float> displacement(CompactPosition const& a, CompactPosition const& b,
                                    CompactPosition::Scale const& scale)
{
    Vec3<std::uint32_t> const s = fractions(a);
    Vec3<std::uint32_t> const t = fractions(b);
    return {static_cast<float>(static_cast<std::int32_t>(s.x - t.x)) * scale.step.x,
            static_cast<float>(static_cast<std::int32_t>(s.y - t.y)) * scale.step.y,
            static_cast<float>(static_cast<std::int32_t>(s.z - t.z)) * scale.step.z};
}

}  // namespace tessera
