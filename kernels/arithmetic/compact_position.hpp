#pragma once
/// Positions in 8 bytes, for gathers that are bound by how many lines they touch.
///
/// Each coordinate is fixed point modulo an extent just above twice the farthest listed neighbor
/// (listed_space() of kernels/arithmetic/pair_space.hpp): the resolution, 2^-21 of it, is that of a
/// packed chunk in a box of any size.
///
///     bit     0       11      32      43      64
///             |  z    |  x    |  z    |  y    |
///               11 low  21      11 high  21
///
/// A whole word serves as the 32-bit coordinate x or y, so that it costs nothing to take apart: the
/// part of z below is allowed for when x and y are rounded.
///
/// One species only. f_ij = -f_ji holds bit for bit.

#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/positions.hpp"

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

    /// How far storing two coordinates may move their difference: 2^10 steps each [sigma].
    static double resolution(double extent)
    {
        return 0x1p-21 * extent;
    }
};

/// The word nearest to `fraction` whose lowest 11 bits are `low`.
TESSERA_HD std::uint32_t round_above(std::uint32_t fraction, std::uint32_t low)
{
    return ((fraction - low + 0x400U) & 0xFFFFF800U) | low;
}

TESSERA_HD void encode(Vec3<double> position, int /*species*/, PairSpace const& space,
                       CompactPosition& encoded)
{
    auto const fraction = [&](int axis) {
        return to_fixed(position[axis], space.extent[axis], space.inv_extent[axis]);
    };
    std::uint32_t const z = (fraction(2) + 0x200U) >> 10;
    encoded = {round_above(fraction(0), z & 0x7FFU), round_above(fraction(1), z >> 11)};
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
