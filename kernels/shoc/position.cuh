#pragma once
/// Loads of SHOC's positions through the read-only path, 16 bytes at a time.

#include <cstdint>

#include "kernels/shoc/shoc.hpp"

namespace tessera::cuda
{

__device__ __forceinline__ Vec3<float> load_position(ShocPosition<float> const* position, int atom)
{
    float4 const p = __ldg(reinterpret_cast<float4 const*>(position) + atom);
    return {p.x, p.y, p.z};
}

__device__ __forceinline__ Vec3<double> load_position(ShocPosition<double> const* position,
                                                      int atom)
{
    auto const* const first = reinterpret_cast<double2 const*>(position + atom);
    double2 const xy = __ldg(first);
    return {xy.x, xy.y, __ldg(reinterpret_cast<double const*>(first + 1))};
}

/// The four indices of one row and group of a tiled list.
__device__ __forceinline__ int4 load_indices(std::int32_t const* index, std::int64_t slice,
                                             int groups, int group, int row)
{
    return __ldg(reinterpret_cast<int4 const*>(index) + (slice * groups + group) * slice_rows +
                 row);
}

/// The atom whose rows stand at `place`.
__device__ __forceinline__ int atom_at(std::int32_t const* order, std::int64_t place)
{
    return order != nullptr ? __ldg(order + place) : static_cast<int>(place);
}

}  // namespace tessera::cuda
