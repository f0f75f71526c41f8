#pragma once
/// The device side of reordering: one warp a slice, hits queued in shared memory until all lanes
/// can store to the same plane.

#include <cstring>
#include <type_traits>

#include "kernels/consume.cuh"
#include "kernels/reorder_cuda.hpp"

namespace tessera::cuda
{

inline constexpr int reorder_block = 128;
inline constexpr int reorder_warps = reorder_block / 32;

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

/// Whether every pair has the same range: then species drop out of the test, and a packed
/// coordinate's bits are known to the compiler.
enum class Ranges
{
    uniform,
    by_species
};

/// Shared memory by its 32-bit address: the compiler would otherwise work the window's base out
/// anew at every access.
__device__ __forceinline__ std::uint32_t shared_address(void const* shared)
{
    auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    asm volatile("" : "+r"(address));
    return address;
}

template <class Entry>
__device__ __forceinline__ void store_shared(std::uint32_t address, Entry const& entry)
{
    std::uint32_t w[sizeof(Entry) / 4];
    memcpy(w, &entry, sizeof(Entry));
    if constexpr (sizeof(Entry) == 4)
    {
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(w[0]) : "memory");
    }
    else if constexpr (sizeof(Entry) == 8)
    {
        asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(w[0]), "r"(w[1])
                     : "memory");
    }
    else
    {
#pragma unroll
        for (unsigned k = 0; k < sizeof(Entry) / 4; k += 4)
        {
            asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address + 4 * k),
                         "r"(w[k]), "r"(w[k + 1]), "r"(w[k + 2]), "r"(w[k + 3])
                         : "memory");
        }
    }
}

template <class Entry>
__device__ __forceinline__ Entry load_shared(std::uint32_t address)
{
    std::uint32_t w[sizeof(Entry) / 4];
    if constexpr (sizeof(Entry) == 4)
    {
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(w[0]) : "r"(address) : "memory");
    }
    else if constexpr (sizeof(Entry) == 8)
    {
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];"
                     : "=r"(w[0]), "=r"(w[1])
                     : "r"(address)
                     : "memory");
    }
    else
    {
#pragma unroll
        for (unsigned k = 0; k < sizeof(Entry) / 4; k += 4)
        {
            asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[k]), "=r"(w[k + 1]), "=r"(w[k + 2]), "=r"(w[k + 3])
                         : "r"(address + 4 * k)
                         : "memory");
        }
    }
    Entry entry;
    memcpy(&entry, w, sizeof(Entry));
    return entry;
}

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
        if (__all_sync(warp_lanes, count_ >= slot_group) ||
            __any_sync(warp_lanes, count_ > queue_depth - slot_group))
        {
            flush();
        }
    }
    __device__ void flush_all()
    {
        while (__any_sync(warp_lanes, count_ > 0))
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
        if (!__all_sync(warp_lanes, count_ >= slot_group))
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

/// One row's place in a reorder: what a lane of the warp works on.
struct ReorderPlace
{
    std::int64_t slice;       ///< within the target
    std::int64_t list_slice;  ///< within the list
    std::int32_t particle;    ///< in memory order
    bool active;              ///< false past the last particle
};

template <class Slot>
__device__ ReorderPlace reorder_place(RowTarget<Slot> const& target, int lanes)
{
    std::int64_t const slice =
        blockIdx.x * static_cast<std::int64_t>(reorder_warps) + threadIdx.x / 32;
    std::int64_t const local = (slice * slice_rows + threadIdx.x % 32) / lanes;
    bool const active = local < target.particle_count;
    return {slice, target.first_particle * lanes / slice_rows + slice,
            static_cast<std::int32_t>(target.first_particle +
                                      (active ? local : target.particle_count - 1)),
            active};
}

/// Reorders one slice; returns the slots that its longest row needs. All lanes call it.
template <Ranges ranges_kind, class P, class Slot>
__device__ int reorder_slice(PositionView<P> const& positions, RowListView const& candidates,
                             PairRanges<typename P::Real> const& ranges,
                             RowTarget<Slot> const& target, ReorderPlace const& place,
                             typename SlotFormat<Slot>::Entry* sm_queue, StepGate const& gate)
{
    using Real = typename P::Real;
    using Format = SlotFormat<Slot>;
    int const row = threadIdx.x % 32;
    std::int32_t const particle = place.particle;
    std::int64_t const list_slice = place.list_slice;
    auto scale = target.scale;
    if constexpr (std::is_same_v<Slot, PackedSlot> && ranges_kind == Ranges::uniform)
    {
        scale.bits = 21;
    }
    WarpQueue<Slot> queue(sm_queue, target, place.slice, scale, particle);
    P const own = positions.position[particle];
    int const groups = candidates.slots[list_slice] / slot_group;
    auto const* list =
        reinterpret_cast<int4 const*>(candidates.neighbor + candidates.row_start(list_slice, row));
    int4 next = groups > 0 ? __ldg(list) : int4{};
    for (int group = 0; group < groups; ++group)
    {
        int4 const four = next;
        list += slice_rows;
        if (group + 1 < groups)
        {
            next = __ldg(list);
        }
        std::int32_t const neighbors[slot_group] = {four.x, four.y, four.z, four.w};
        P others[slot_group];
#pragma unroll
        for (int k = 0; k < slot_group; ++k)
        {
            others[k] = positions.position[neighbors[k]];
        }
#pragma unroll
        for (int k = 0; k < slot_group; ++k)
        {
            Vec3<Real> const d = displacement(own, others[k], positions.scale);
            Real const r_sq = dot(d, d);
            int species = 0;
            Real range_sq = ranges.uniform_sq;
            if constexpr (ranges_kind == Ranges::by_species)
            {
                species = static_cast<int>(others[k].species);
                range_sq = ranges.range_sq(static_cast<int>(own.species), species);
            }
            // A row's own particle is the list's padding, and all that rows past the last one hold.
            bool const keep = r_sq < range_sq && neighbors[k] != particle;
            queue.push(Format::make(d, species, neighbors[k], scale), keep);
        }
        queue.flush_if_due();
    }
    queue.flush_all();
    if (row == 0)
    {
        target.slots[place.slice] = min(queue.slots(), target.capacity);
        if (queue.slots() > target.capacity)
        {
            atomicMax(&gate.faults->chunk_slots, static_cast<unsigned long long>(queue.slots()));
            close(gate);
        }
    }
    return queue.slots();
}

}  // namespace tessera::cuda
