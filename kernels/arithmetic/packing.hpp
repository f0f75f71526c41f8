#pragma once
/// A neighbor's displacement and species in 8 bytes.
///
/// Three fixed-point coordinates of `bits` bits each, two's complement, then the species:
///
///     bit 0        bits       2 bits      3 bits        63
///     |  x         |  y       |  z        |  species    |
///
/// 21 bits leave one bit of species (1 or 2 species); 20 bits leave four (up to 16). A coordinate
/// spans +-`range`, just beyond the cutoff, in 2^bits steps: 2.4e-6 of the cutoff with 21 bits. The
/// most negative step on all axes marks padding: its length, sqrt(3) range, is beyond the cutoff.

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

struct PackedNeighbor
{
    std::uint32_t low, high;
    friend bool operator==(PackedNeighbor const&, PackedNeighbor const&) = default;
};

struct PackingScale
{
    int bits;        ///< of one coordinate: 21 or 20
    float to_grid;   ///< steps per [sigma]
    float to_sigma;  ///< [sigma] per step
};

inline constexpr int max_packed_species = 16;

/// The scale for displacements up to `cutoff` [sigma] and `species_count` species (at most 16).
inline PackingScale packing_scale(double cutoff, int species_count)
{
    int const bits = species_count <= 2 ? 21 : 20;
    double const half_steps = static_cast<double>(1 << (bits - 1));
    double const range = cutoff * (1.0 + 4.0 / half_steps);
    return {bits, static_cast<float>(half_steps / range), static_cast<float>(range / half_steps)};
}

TESSERA_HD PackedNeighbor pack(Vec3<float> displacement, int species, PackingScale scale)
{
    std::uint32_t const mask = (1U << scale.bits) - 1U;
    auto const to_steps = [&](float d) {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::rint(d * scale.to_grid))) &
               mask;
    };
    std::uint32_t const x = to_steps(displacement.x);
    std::uint32_t const y = to_steps(displacement.y);
    std::uint32_t const z = to_steps(displacement.z);
    int const split = 32 - scale.bits;  // bits of y in the low word
    return {x | (y << scale.bits),
            (y >> split) | (z << (scale.bits - split)) |
                (static_cast<std::uint32_t>(species) << (3 * scale.bits - 32))};
}

TESSERA_HD Vec3<float> unpack_displacement(PackedNeighbor packed, PackingScale scale)
{
    int const split = 32 - scale.bits;
    auto const sign_extend = [&](std::uint32_t top_aligned) {
        return static_cast<float>(static_cast<std::int32_t>(top_aligned) >> split);
    };
    std::uint32_t const y = (packed.low >> scale.bits) | (packed.high << split);
    return {sign_extend(packed.low << split) * scale.to_sigma,
            sign_extend(y << split) * scale.to_sigma,
            sign_extend(packed.high << (64 - 3 * scale.bits)) * scale.to_sigma};
}

TESSERA_HD int unpack_species(PackedNeighbor packed, PackingScale scale)
{
    return static_cast<int>(packed.high >> (3 * scale.bits - 32));
}

/// The filler of an unused slot: beyond the cutoff, so that it contributes exactly zero.
TESSERA_HD PackedNeighbor packed_padding(PackingScale scale)
{
    std::uint32_t const low = 1U << (scale.bits - 1);
    return {low | (low << scale.bits), (low >> (32 - scale.bits)) | (low << (2 * scale.bits - 32))};
}

}  // namespace tessera
