#pragma once
/// pack() and unpack_displacement() of packing.hpp in the device's cheapest instructions; the same
/// bits, for every displacement within the range.

#include <cstdint>

#include "kernels/arithmetic/packing.hpp"

namespace tessera::cuda
{

/// Adding 1.5 x 2^23 leaves an integer, rounded to nearest even, in the low bits of the sum: no
/// conversion, whose rate is a quarter of an addition's.
__device__ __forceinline__ std::uint32_t device_to_grid(float displacement, PackingScale scale,
                                                        std::uint32_t mask)
{
    return __float_as_uint(__fadd_rn(__fmul_rn(displacement, scale.to_grid), 12582912.0F)) & mask;
}

/// What pack() gives, for |displacement| within the range of `scale`.
__device__ __forceinline__ PackedNeighbor device_pack(Vec3<float> displacement, int species,
                                                      PackingScale scale)
{
    std::uint32_t const mask = (1U << scale.bits) - 1U;
    std::uint32_t const x = device_to_grid(displacement.x, scale, mask);
    std::uint32_t const y = device_to_grid(displacement.y, scale, mask);
    std::uint32_t const z = device_to_grid(displacement.z, scale, mask);
    return {x | (y << scale.bits),
            (y >> (32 - scale.bits)) | (z << (2 * scale.bits - 32)) |
                (static_cast<std::uint32_t>(species) << (3 * scale.bits - 32))};
}

/// One coordinate from its lowest `bits` bits: flipping the sign bit gives an offset number, which
/// OR-ed under the exponent of 2^23 is a float; the subtraction is exact.
__device__ __forceinline__ float device_from_grid(std::uint32_t word, PackingScale scale)
{
    std::uint32_t const sign = 1U << (scale.bits - 1);
    std::uint32_t const mask = 2U * sign - 1U;
    float const zero = 8388608.0F + static_cast<float>(sign);
    float const steps = __uint_as_float((word & mask) ^ (0x4B000000U | sign)) - zero;
    return __fmul_rn(steps, scale.to_sigma);
}

/// What unpack_displacement() gives.
__device__ __forceinline__ Vec3<float> device_unpack(PackedNeighbor packed, PackingScale scale)
{
    return {device_from_grid(packed.low, scale),
            device_from_grid(__funnelshift_r(packed.low, packed.high, scale.bits), scale),
            device_from_grid(packed.high >> (2 * scale.bits - 32), scale)};
}

}  // namespace tessera::cuda
