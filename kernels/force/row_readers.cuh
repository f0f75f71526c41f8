#pragma once
/// Readers: how a lane walks its row of a source, four neighbors at a time, whether they come from
/// a chunk, a row list or a column list.

#include <type_traits>

#include "kernels/device/packing.cuh"
#include "kernels/force/force_cuda.hpp"

namespace tessera::cuda
{

/// One row of a source, as a lane sees it.
struct RowPlace
{
    std::int64_t slice;     ///< within the source
    std::int64_t warp;      ///< over the whole system: slice plus those of earlier chunks
    std::int64_t particle;  ///< in memory order
    bool active;            ///< false past the last particle
};

template <class Real>
struct FourNeighbors
{
    Vec3<Real> displacement[slot_group];
    int species[slot_group];
};

/// What readers of sliced sources share.
inline __device__ RowPlace place_in_slices(std::int64_t slice, std::int64_t first,
                                           std::int64_t count, int lanes)
{
    std::int64_t const local = (slice * slice_rows + threadIdx.x % slice_rows) / lanes;
    bool const active = local < count;
    return {slice, first * lanes / slice_rows + slice, first + (active ? local : count - 1),
            active};
}

/// `one_species` fixes the packed format at compile time.
template <class Source, bool one_species>
class Reader;

template <class Slot, bool one_species>
class Reader<ChunkSource<Slot>, one_species>
{
public:
    static constexpr int block = 128;
    using Real = typename Slot::Real;

    __device__ Reader(ChunkSource<Slot> const& source, std::int64_t slice)
        : place(place_in_slices(slice, source.chunk.first_particle, source.chunk.particle_count,
                                source.chunk.lanes)),
          groups(source.chunk.slots[slice] / slot_group),
          own_species(source.species[place.particle]),
          scale_(source.chunk.scale),
          row_(source.chunk.data + slice * slice_bytes<Slot>(source.chunk.capacity) +
               threadIdx.x % slice_rows * 16)
    {
        if constexpr (std::is_same_v<Slot, PackedSlot> && one_species)
        {
            scale_.bits = 21;
        }
    }
    static __host__ __device__ std::int64_t slices(ChunkSource<Slot> const& source)
    {
        return slice_count(source.chunk.particle_count, source.chunk.lanes);
    }
    static __device__ int lanes(ChunkSource<Slot> const& source)
    {
        return source.chunk.lanes;
    }

    // Read once: the L1 is of no use.
    __device__ FourNeighbors<Real> load(int group) const
    {
        FourNeighbors<Real> four;
        constexpr int planes = Slot::bytes * slot_group / 16;
        std::byte const* const first = row_ + group * (planes * slice_rows * 16);
        if constexpr (std::is_same_v<Slot, PackedSlot>)
        {
#pragma unroll
            for (int p = 0; p < planes; ++p)
            {
                uint4 const two = __ldcg(plane<uint4>(first, p));
                put(four, 2 * p, {two.x, two.y});
                put(four, 2 * p + 1, {two.z, two.w});
            }
        }
        else if constexpr (std::is_same_v<Slot, FloatSlot>)
        {
#pragma unroll
            for (int p = 0; p < planes; ++p)
            {
                float4 const one = __ldcg(plane<float4>(first, p));
                four.displacement[p] = {one.x, one.y, one.z};
                four.species[p] = static_cast<int>(one.w);
            }
        }
        else
        {
#pragma unroll
            for (int slot = 0; slot < slot_group; ++slot)
            {
                double2 const xy = __ldcg(plane<double2>(first, 2 * slot));
                double2 const z_species = __ldcg(plane<double2>(first, 2 * slot + 1));
                four.displacement[slot] = {xy.x, xy.y, z_species.x};
                four.species[slot] = static_cast<int>(z_species.y);
            }
        }
        return four;
    }

    RowPlace place;
    int groups;
    int own_species;

private:
    template <class T>
    static __device__ T const* plane(std::byte const* first, int p)
    {
        return reinterpret_cast<T const*>(first + p * (slice_rows * 16));
    }
    __device__ void put(FourNeighbors<Real>& four, int slot, PackedNeighbor packed) const
    {
        four.displacement[slot] = device_unpack(packed, scale_);
        four.species[slot] = unpack_species(packed, scale_);
    }

    typename Slot::Scale scale_;
    std::byte const* row_;
};

template <class P, bool one_species>
class Reader<RowSource<P>, one_species>
{
public:
    static constexpr int block = 128;
    using Real = typename P::Real;

    __device__ Reader(RowSource<P> const& source, std::int64_t slice)
        : place(place_in_slices(slice, 0, source.list.particle_count, source.list.lanes)),
          groups(source.list.slots[slice] / slot_group),
          own_(source.positions.position[place.particle]),
          positions_(source.positions),
          row_(reinterpret_cast<int4 const*>(
              source.list.neighbor + source.list.row_start(slice, threadIdx.x % slice_rows)))
    {
        own_species = static_cast<int>(own_.species);
    }
    static __host__ __device__ std::int64_t slices(RowSource<P> const& source)
    {
        return source.list.slices();
    }
    static __device__ int lanes(RowSource<P> const& source)
    {
        return source.list.lanes;
    }

    __device__ FourNeighbors<Real> load(int group) const
    {
        int4 const index = __ldg(row_ + group * slice_rows);
        P const others[slot_group] = {positions_.position[index.x], positions_.position[index.y],
                                      positions_.position[index.z], positions_.position[index.w]};
        int const indices[slot_group] = {index.x, index.y, index.z, index.w};
        FourNeighbors<Real> four;
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            Vec3<Real>& d = four.displacement[slot];
            d = displacement(own_, others[slot], positions_.scale);
            // The row's own index is padding.
            d.x =
                indices[slot] == static_cast<int>(place.particle) ? padding_coordinate<Real> : d.x;
            four.species[slot] = static_cast<int>(others[slot].species);
        }
        return four;
    }

    RowPlace place;
    int groups;
    int own_species;

private:
    P own_;
    PositionView<P> positions_;
    int4 const* row_;
};

template <class P, bool one_species>
class Reader<ColumnSource<P>, one_species>
{
public:
    static constexpr int block = 256;  // SHOC's
    using Real = typename P::Real;

    __device__ Reader(ColumnSource<P> const& source, std::int64_t slice)
        : place(place_in_slices(slice, 0, source.list.particle_count, 1)),
          own_(source.positions.position[place.particle]),
          slots_(source.list.slots[place.particle]),
          column_(source.list.neighbor + place.particle),
          source_(source)
    {
        groups = (slots_ + slot_group - 1) / slot_group;
        own_species = static_cast<int>(own_.species);
    }
    static __host__ __device__ std::int64_t slices(ColumnSource<P> const& source)
    {
        return slice_count(source.list.particle_count, 1);
    }
    static __device__ int lanes(ColumnSource<P> const&)
    {
        return 1;
    }

    // Indices, then positions, then arithmetic: all of a group's loads are in flight together. Past
    // the end the last neighbor is read again: a load that depends on nothing can be moved up.
    __device__ FourNeighbors<Real> load(int group) const
    {
        P others[slot_group];
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            std::int64_t const entry = min(group * slot_group + slot, slots_ - 1);
            others[slot] = source_.positions.position[column_[entry * source_.list.particle_count]];
        }
        FourNeighbors<Real> four;
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            Vec3<Real>& d = four.displacement[slot];
            d = displacement(own_, others[slot], source_.positions.scale);
            d.x = group * slot_group + slot < slots_ ? d.x : padding_coordinate<Real>;
            four.species[slot] = static_cast<int>(others[slot].species);
        }
        return four;
    }

    RowPlace place;
    int groups;
    int own_species;

private:
    P own_;
    int slots_;
    std::int32_t const* column_;
    ColumnSource<P> source_;
};

}  // namespace tessera::cuda
