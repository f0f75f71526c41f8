#pragma once
/// How hits become padded rows: slots are queued in shared memory until all lanes can store a group
/// to the same plane.

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/device/packing.cuh"
#include "kernels/device/shared_access.cuh"
#include "kernels/force/consume.cuh"

namespace tessera::cuda
{

/// Hits that a lane holds back until the warp writes a group. Deeper costs occupancy, and was
/// slower (16 and 32 against 12, NVIDIA H200, 1 000 188 particles, 2026).
inline constexpr int queue_depth = 12;

/// A list's entry seen as a slot, so that one kernel writes chunks and lists.
struct IndexSlot
{
    struct Scale
    {
    };
};

/// One coordinate on the packing grid, as device_packing.cuh does it but in one rounding: the
/// product is not rounded first, so that a displacement exactly between two steps may go to the
/// other one.
__device__ __forceinline__ std::uint32_t to_grid_once(float displacement, float to_grid)
{
    return __float_as_uint(__fmaf_rn(displacement, to_grid, 12582912.0F));
}

/// How a slot queues and how four of them are stored; `first` is the row's entry of plane 0.
template <class Slot>
struct SlotFormat;

template <>
struct SlotFormat<PackedSlot>
{
    using Entry = PackedNeighbor;
    static constexpr int planes = 2;

    __device__ static Entry make(Vec3<float> d, int species, std::int32_t, PackingScale scale)
    {
        std::uint32_t const mask = (1U << scale.bits) - 1U;
        std::uint32_t const x = to_grid_once(d.x, scale.to_grid) & mask;
        std::uint32_t const y = to_grid_once(d.y, scale.to_grid) & mask;
        std::uint32_t const z = to_grid_once(d.z, scale.to_grid) & mask;
        return {x | (y << scale.bits),
                (y >> (32 - scale.bits)) | (z << (2 * scale.bits - 32)) |
                    (static_cast<std::uint32_t>(species) << (3 * scale.bits - 32))};
    }
    __device__ static Entry padding(std::int32_t, PackingScale scale)
    {
        return packed_padding(scale);
    }
    __device__ static void store(uint4* first, Entry const (&e)[slot_group])
    {
        first[0] = make_uint4(e[0].low, e[0].high, e[1].low, e[1].high);
        first[slice_rows] = make_uint4(e[2].low, e[2].high, e[3].low, e[3].high);
    }
};

template <>
struct SlotFormat<FloatSlot>
{
    using Entry = float4;
    static constexpr int planes = 4;

    __device__ static Entry make(Vec3<float> d, int species, std::int32_t, FloatSlot::Scale)
    {
        return make_float4(d.x, d.y, d.z, static_cast<float>(species));
    }
    __device__ static Entry padding(std::int32_t, FloatSlot::Scale)
    {
        constexpr float far = padding_coordinate<float>;
        return make_float4(far, far, far, 0.0F);
    }
    __device__ static void store(uint4* first, Entry const (&e)[slot_group])
    {
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            reinterpret_cast<float4*>(first)[slot * slice_rows] = e[slot];
        }
    }
};

template <>
struct SlotFormat<DoubleSlot>
{
    struct alignas(16) Entry
    {
        double2 xy, z_species;
    };
    static constexpr int planes = 8;

    __device__ static Entry make(Vec3<double> d, int species, std::int32_t, DoubleSlot::Scale)
    {
        return {make_double2(d.x, d.y), make_double2(d.z, static_cast<double>(species))};
    }
    __device__ static Entry padding(std::int32_t, DoubleSlot::Scale)
    {
        constexpr double far = padding_coordinate<double>;
        return {make_double2(far, far), make_double2(far, 0.0)};
    }
    __device__ static void store(uint4* first, Entry const (&e)[slot_group])
    {
        auto* const planes_of_doubles = reinterpret_cast<double2*>(first);
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            planes_of_doubles[2 * slot * slice_rows] = e[slot].xy;
            planes_of_doubles[(2 * slot + 1) * slice_rows] = e[slot].z_species;
        }
    }
};

template <>
struct SlotFormat<IndexSlot>
{
    using Entry = std::int32_t;
    static constexpr int planes = 1;

    template <class Real>
    __device__ static Entry make(Vec3<Real>, int, std::int32_t neighbor, IndexSlot::Scale)
    {
        return neighbor;
    }
    __device__ static Entry padding(std::int32_t own, IndexSlot::Scale)
    {
        return own;
    }
    __device__ static void store(uint4* first, Entry const (&e)[slot_group])
    {
        *reinterpret_cast<int4*>(first) = make_int4(e[0], e[1], e[2], e[3]);
    }
};

/// Where the rows go.
template <class Slot>
struct RowTarget
{
    std::byte* data;  ///< [slice][plane][row][16]
    std::int32_t* slots;
    std::int64_t first_particle;
    std::int64_t particle_count;
    std::int32_t capacity;
    typename Slot::Scale scale;
};

/// A warp's queue: hits wait in shared memory until every lane holds a group, then all lanes store
/// to the same plane, which makes full lines.
template <class Slot>
class WarpQueue
{
public:
    using Format = SlotFormat<Slot>;
    using Entry = typename Format::Entry;
    static constexpr std::int64_t group_bytes = Format::planes * slice_rows * 16;

    __device__ WarpQueue(Entry* sm_entries, RowTarget<Slot> const& target, std::int64_t slice,
                         typename Slot::Scale scale, std::int32_t own)
        : begin_(shared_address(sm_entries + threadIdx.x % 32)),
          head_(begin_),
          tail_(begin_),
          out_(target.data + slice * (target.capacity / slot_group * group_bytes) +
               threadIdx.x % 32 * 16),
          capacity_(target.capacity),
          padding_(Format::padding(own, scale))
    {
    }

    /// The entry is stored in any case, and counts only if kept: the place at the tail is free.
    __device__ void push(Entry const& entry, bool keep)
    {
        store_shared(tail_, entry);
        std::uint32_t const next = tail_ + step;
        std::uint32_t const wrapped = next == begin_ + queue_depth * step ? begin_ : next;
        tail_ = keep ? wrapped : tail_;
        count_ += keep ? 1 : 0;
    }
    /// Stores a group if all lanes have one, or if some lane could not take four more.
    __device__ void flush_if_due()
    {
        if (__all_sync(all_lanes, count_ >= slot_group) ||
            __any_sync(all_lanes, count_ > queue_depth - slot_group))
        {
            flush();
        }
    }
    __device__ void flush_all()
    {
        while (__any_sync(all_lanes, count_ > 0))
        {
            flush();
        }
    }
    __device__ int slots() const
    {
        return slots_;
    }

private:
    static constexpr std::uint32_t step = slice_rows * sizeof(Entry);

    __device__ void flush()
    {
        Entry four[slot_group];
#pragma unroll
        for (int k = 0; k < slot_group; ++k)
        {
            four[k] = load_shared<Entry>(head_ + k * step);
        }
        if (!__all_sync(all_lanes, count_ >= slot_group))
        {
#pragma unroll
            for (int k = 0; k < slot_group; ++k)
            {
                four[k] = k < count_ ? four[k] : padding_;
            }
        }
        if (slots_ < capacity_)
        {
            Format::store(reinterpret_cast<uint4*>(out_), four);
        }
        out_ += group_bytes;
        slots_ += slot_group;
        head_ += slot_group * step;
        head_ = head_ == begin_ + queue_depth * step ? begin_ : head_;
        // A lane that held less than a group goes on at the new head.
        tail_ = count_ < slot_group ? head_ : tail_;
        count_ = max(count_ - slot_group, 0);
    }

    std::uint32_t begin_, head_, tail_;  // shared addresses; the head is the same in all lanes
    std::byte* out_;
    int capacity_;
    Entry padding_;
    int count_ = 0;
    int slots_ = 0;
};

}  // namespace tessera::cuda
