#pragma once
/// Positions in 8 bytes, for gathers that are bound by how many lines they touch.
///
/// Each coordinate is 21-bit fixed point modulo a whole fraction of the box edge, edge / k, chosen
/// just above twice the farthest listed neighbor: differences wrap to the nearest copy for free,
/// and the resolution is that of a packed chunk, about 3e-6 sigma, in a box of any size.
///
///     bit 0        21       42       63
///     |  x         |  y     |  z     | unused
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

    /// Multipliers from steps of 2^-11 (coordinates stand in the top 21 bits of a word) to [sigma].
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

inline constexpr double compact_steps = 2097152.0;  // 2^21 steps span the extent

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

TESSERA_HD std::uint32_t to_compact(double coordinate, double extent)
{
    return static_cast<std::uint32_t>(
               static_cast<std::int64_t>(coordinate * (compact_steps / extent) + 0.5)) &
           0x1FFFFFU;
}

TESSERA_HD void encode(Vec3<double> position, int /*species*/, PairSpace const& space,
                       CompactPosition& encoded)
{
    std::uint32_t const x = to_compact(position.x, space.extent.x);
    std::uint32_t const y = to_compact(position.y, space.extent.y);
    std::uint32_t const z = to_compact(position.z, space.extent.z);
    encoded = {x | (y << 21), (y >> 11) | (z << 10)};
}

/// The coordinates in the top 21 bits of a word each.
TESSERA_HD Vec3<std::uint32_t> top_aligned(CompactPosition const& a)
{
    constexpr std::uint32_t top = 0xFFFFF800U;
    return {a.low << 11, ((a.low >> 10) | (a.high << 22)) & top, (a.high << 1) & top};
}

TESSERA_HD Vec3<float> displacement(CompactPosition const& a, CompactPosition const& b,
                                    CompactPosition::Scale const& scale)
{
    Vec3<std::uint32_t> const s = top_aligned(a);
    Vec3<std::uint32_t> const t = top_aligned(b);
    return {static_cast<float>(static_cast<std::int32_t>(s.x - t.x)) * scale.step.x,
            static_cast<float>(static_cast<std::int32_t>(s.y - t.y)) * scale.step.y,
            static_cast<float>(static_cast<std::int32_t>(s.z - t.z)) * scale.step.z};
}

}  // namespace tessera
