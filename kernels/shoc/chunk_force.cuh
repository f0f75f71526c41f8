#pragma once
/// Consuming chunks on the device: one warp a slice, one lane a row, 16-byte loads in a straight
/// line. What is evaluated is a functor over four neighbors at a time; ForceInGroups is the first.
///
/// A slot holds displacement(particle, neighbor) = particle - neighbor, so the force on the
/// particle is the sum of force_over_r * displacement. Rows past the last particle are read, and
/// their sums dropped.
///
/// Such a functor has
///     Own, Sum        what it knows of the particle; what it adds up (both trivially copyable)
///     own(particle)   reads the first
///     add(sum, own, displacement[4], species[4])
///     store(particle, sum)   called once a particle, by one lane

#include <cuda_runtime.h>

#include <cassert>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/vec3.hpp"
#include "kernels/device/cuda_check.hpp"
#include "kernels/device/l2_residence.cuh"
#include "kernels/device/packing.cuh"
#include "kernels/device/warp_merge.cuh"
#include "kernels/force/consumers.hpp"

namespace tessera::cuda
{

inline constexpr int consume_block = 128;

/// Bytes of one plane: 32 rows of 16.
inline constexpr std::int64_t plane_bytes = 16 * slice_rows;

/// Four slots of one row, as loaded.
template <class Slot>
struct SlotGroup;

template <>
struct SlotGroup<PackedSlot>
{
    static constexpr int planes = 2;
    uint4 plane[planes];

    __device__ __forceinline__ PackedNeighbor packed(int slot) const
    {
        uint4 const& p = plane[slot / 2];
        return slot % 2 == 0 ? PackedNeighbor{p.x, p.y} : PackedNeighbor{p.z, p.w};
    }
    __device__ __forceinline__ Vec3<float> displacement(int slot, PackingScale scale) const
    {
        return device_unpack(packed(slot), scale);
    }
    __device__ __forceinline__ int species(int slot, PackingScale scale) const
    {
        return unpack_species(packed(slot), scale);
    }
};

template <>
struct SlotGroup<FloatSlot>
{
    static constexpr int planes = 4;
    float4 plane[planes];

    __device__ __forceinline__ Vec3<float> displacement(int slot, FloatSlot::Scale) const
    {
        return {plane[slot].x, plane[slot].y, plane[slot].z};
    }
    __device__ __forceinline__ int species(int slot, FloatSlot::Scale) const
    {
        return static_cast<int>(plane[slot].w);
    }
};

template <>
struct SlotGroup<DoubleSlot>
{
    static constexpr int planes = 8;
    double2 plane[planes];

    __device__ __forceinline__ Vec3<double> displacement(int slot, DoubleSlot::Scale) const
    {
        return {plane[2 * slot].x, plane[2 * slot].y, plane[2 * slot + 1].x};
    }
    __device__ __forceinline__ int species(int slot, DoubleSlot::Scale) const
    {
        return static_cast<int>(plane[2 * slot + 1].y);
    }
};

/// Loads group `group` of the row whose first plane entry is at `row_data`.
template <class Slot>
__device__ __forceinline__ SlotGroup<Slot> load_group(std::byte const* row_data, int group,
                                                      L2Access access)
{
    using Group = SlotGroup<Slot>;
    using Plane = std::remove_extent_t<decltype(Group::plane)>;
    static_assert(sizeof(Plane) == 16);
    Group loaded;
    std::byte const* const first = row_data + group * Group::planes * plane_bytes;
#pragma unroll
    for (int p = 0; p < Group::planes; ++p)
    {
        loaded.plane[p] = access.load(reinterpret_cast<Plane const*>(first + p * plane_bytes));
    }
    return loaded;
}

template <class Slot, int lanes, class Consumer>
__global__ void __launch_bounds__(consume_block)
    consume_chunk_kernel(ChunkView<Slot> chunk, float kept_share, Consumer consumer)
{
    std::int64_t const slices = slice_count(chunk.particle_count, lanes);
    std::int64_t const from_end =
        blockIdx.x * static_cast<std::int64_t>(consume_block / slice_rows) +
        threadIdx.x / slice_rows;
    if (from_end >= slices)
    {
        return;
    }
    // Last slices first: what the reorder wrote last is still in the second-level cache (NVIDIA
    // H200, 302 MB of double slots, 2026-11-30: reorder + force 170 us instead of 177).
    std::int64_t const slice = slices - 1 - from_end;
    int const row = threadIdx.x % slice_rows;
    std::int64_t const local = (slice * slice_rows + row) / lanes;
    bool const in_chunk = local < chunk.particle_count;
    std::int64_t const particle =
        chunk.first_particle + (in_chunk ? local : chunk.particle_count - 1);

    int const groups = chunk.slots[slice] / slot_group;
    std::byte const* const row_data =
        chunk.data + slice * slice_bytes<Slot>(chunk.capacity) + row * 16;
    auto const own = consumer.own(particle);
    typename Consumer::Sum sum{};
    L2Access const access(kept_share);
#pragma unroll 4
    for (int group = 0; group < groups; ++group)
    {
        SlotGroup<Slot> const loaded = load_group<Slot>(row_data, group, access);
        Vec3<typename Slot::Real> displacement[slot_group];
        int species[slot_group];
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            displacement[slot] = loaded.displacement(slot, chunk.scale);
            species[slot] = loaded.species(slot, chunk.scale);
        }
        consumer.add(sum, own, displacement, species);
    }
    merge_lanes(sum, lanes);
    if (in_chunk && row % lanes == 0)
    {
        consumer.store(particle, sum);
    }
}

/// Calls launch.operator()<lanes>() with lanes as a constant: a power of two up to `most`.
template <int most, class Launch>
void with_lanes(int lanes, Launch const& launch)
{
    if (lanes == most)
    {
        launch.template operator()<most>();
    }
    else if constexpr (most > 1)
    {
        with_lanes<most / 2>(lanes, launch);
    }
    else
    {
        assert(!"lanes is not a power of two in range");
    }
}

/// Runs `consumer` over `chunk`, complete when `stream` gets there. lanes: 1, 2, 4, 8, 16 or 32.
/// kept_share > 0 asks the second-level cache to keep that share of the chunk for the next time.
/// Throws CudaError if the launch fails.
template <class Slot, class Consumer>
void launch_consume_chunk(ChunkView<Slot> const& chunk, Consumer const& consumer,
                          cudaStream_t stream, float kept_share = 0.0F)
{
    std::int64_t const slices = slice_count(chunk.particle_count, chunk.lanes);
    if (slices == 0)
    {
        return;
    }
    constexpr int slices_per_block = consume_block / slice_rows;
    auto const blocks = static_cast<unsigned>((slices + slices_per_block - 1) / slices_per_block);
    with_lanes<32>(chunk.lanes, [&]<int lanes>() {
        consume_chunk_kernel<Slot, lanes, Consumer>
            <<<blocks, consume_block, 0, stream>>>(chunk, kept_share, consumer);
    });
    cuda_check(cudaGetLastError(), "launch of consume_chunk");
}

/// Species of a one-species system.
struct OneSpecies
{
    __device__ __forceinline__ int operator()(std::int64_t) const
    {
        return 0;
    }
};

/// Adds up the force on each particle. Four neighbors are summed in the precision of the pair
/// arithmetic, those sums in T. `Species` maps a particle's index to its species; `Store` takes
/// (index, Vec3<T> force).
template <class T, class Pair, class Store, class Species = OneSpecies>
struct ForceInGroups
{
    using Own = int;
    using Sum = Vec3<T>;
    using Real = typename Pair::Real;

    Pair pair;
    Store store_force;
    Species species_of{};

    __device__ __forceinline__ Own own(std::int64_t particle) const
    {
        return species_of(particle);
    }
    __device__ __forceinline__ void add(Sum& sum, Own own_species,
                                        Vec3<Real> const (&displacement)[slot_group],
                                        int const (&species)[slot_group]) const
    {
        Vec3<Real> partial{};
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            Force<Pair, Real>{pair}.add(partial, displacement[slot], own_species, species[slot]);
        }
        sum += Vec3<T>{T(partial.x), T(partial.y), T(partial.z)};
    }
    __device__ __forceinline__ void store(std::int64_t particle, Sum const& sum) const
    {
        store_force(particle, sum);
    }
};

/// Stores forces as an array of triples.
template <class T>
struct StoreTriples
{
    Vec3<T>* force;  ///< [particle]

    __device__ __forceinline__ void operator()(std::int64_t particle, Vec3<T> sum) const
    {
        force[particle] = sum;
    }
};

}  // namespace tessera::cuda
