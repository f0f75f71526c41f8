#pragma once
/// Random numbers without a state: Philox4x32-10 (Salmon et al., SC'11 (2011)) of the seed and of
/// what the number is for. The same on every device, with any number of threads, in any order.
///
///     key      seed                                          64 bits, kept whole
///     counter  step (64) | id (48) | block (8) | purpose (8)

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// What a number is drawn for: streams of different purposes are unrelated.
enum class RandomPurpose : std::uint8_t
{
    velocity = 1,
    placement = 2,
    species = 3
};

/// Names one block of numbers. `id` is below 2^48.
struct RandomKey
{
    std::uint64_t seed;
    std::uint64_t step;
    std::uint64_t id;
    RandomPurpose purpose;
};

struct RandomBlock
{
    std::uint32_t word[4];
};

TESSERA_HD RandomBlock random_block(RandomKey key, std::uint8_t block)
{
    r123::Philox4x32::ctr_type const counter{
        {static_cast<std::uint32_t>(key.step), static_cast<std::uint32_t>(key.step >> 32),
         static_cast<std::uint32_t>(key.id),
         static_cast<std::uint32_t>(key.id >> 32) << 16 | static_cast<std::uint32_t>(block) << 8 |
             static_cast<std::uint32_t>(key.purpose)}};
    r123::Philox4x32::key_type const seed{
        {static_cast<std::uint32_t>(key.seed), static_cast<std::uint32_t>(key.seed >> 32)}};
    r123::Philox4x32 philox;
    r123::Philox4x32::ctr_type const words = philox(counter, seed);
    return {{words[0], words[1], words[2], words[3]}};
}

/// Uniform in [0, 1), a multiple of 2^-53.
TESSERA_HD double to_unit(std::uint32_t high, std::uint32_t low)
{
    std::uint64_t const bits = static_cast<std::uint64_t>(high) << 32 | low;
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Three independent uniforms in [0, 1).
TESSERA_HD Vec3<double> random_uniforms(RandomKey key)
{
    RandomBlock const first = random_block(key, 0);
    RandomBlock const second = random_block(key, 1);
    return {to_unit(first.word[0], first.word[1]), to_unit(first.word[2], first.word[3]),
            to_unit(second.word[0], second.word[1])};
}

/// Three independent normal numbers of mean 0 and variance 1 (Box and Muller, Ann. Math. Stat. 29,
/// 610 (1958)).
TESSERA_HD Vec3<double> random_normals(RandomKey key)
{
    RandomBlock const first = random_block(key, 0);
    RandomBlock const second = random_block(key, 1);
    double const turn = 6.283185307179586;
    // 1 - u is in (0, 1], where the logarithm is finite.
    double const radius = std::sqrt(-2.0 * std::log(1.0 - to_unit(first.word[0], first.word[1])));
    double const angle = turn * to_unit(first.word[2], first.word[3]);
    double const radius_z =
        std::sqrt(-2.0 * std::log(1.0 - to_unit(second.word[0], second.word[1])));
    double const angle_z = turn * to_unit(second.word[2], second.word[3]);
    return {radius * std::cos(angle), radius * std::sin(angle), radius_z * std::cos(angle_z)};
}

}  // namespace tessera
