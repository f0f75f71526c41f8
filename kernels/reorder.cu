#include <type_traits>

#include "kernels/cuda_check.hpp"
#include "kernels/device_packing.cuh"
#include "kernels/reorder_cuda.hpp"

namespace tessera::cuda
{
namespace
{

constexpr int block = 128;
constexpr int warps = block / 32;
constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// Hits that a lane holds back until the warp writes a group. Deeper costs occupancy, and was
/// slower (16 and 32 against 12, NVIDIA H200, 1 000 188 particles, 2026).
constexpr int queue_depth = 12;

/// A list's entry seen as a slot, so that one kernel writes chunks and lists.
struct IndexSlot
{
    struct Scale
    {
    };
};

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
        return device_pack(d, species, scale);
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
        : entries_(sm_entries + threadIdx.x % 32),
          out_(target.data + slice * (target.capacity / slot_group * group_bytes) +
               threadIdx.x % 32 * 16),
          capacity_(target.capacity),
          padding_(Format::padding(own, scale))
    {
    }

    __device__ void push(Entry entry, bool keep)
    {
        if (keep)
        {
            int const place = head_ + count_;
            entries_[(place < queue_depth ? place : place - queue_depth) * slice_rows] = entry;
            count_ += 1;
        }
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
    __device__ void flush()
    {
        Entry four[slot_group];
#pragma unroll
        for (int k = 0; k < slot_group; ++k)
        {
            four[k] = k < count_ ? entries_[(head_ + k) * slice_rows] : padding_;
        }
        if (slots_ < capacity_)
        {
            Format::store(reinterpret_cast<uint4*>(out_), four);
        }
        out_ += group_bytes;
        slots_ += slot_group;
        head_ = head_ + slot_group == queue_depth ? 0 : head_ + slot_group;
        count_ = max(count_ - slot_group, 0);
    }

    Entry* entries_;
    std::byte* out_;
    int capacity_;
    Entry padding_;
    int head_ = 0;  // a multiple of the group, the same in all lanes
    int count_ = 0;
    int slots_ = 0;
};

template <class P, class Slot, Ranges ranges_kind>
__global__ void __launch_bounds__(block)
    reorder_kernel(PositionView<P> positions, RowListView candidates,
                   PairRanges<typename P::Real> ranges, RowTarget<Slot> target, StepGate gate)
{
    using Real = typename P::Real;
    using Format = SlotFormat<Slot>;
    __shared__ typename Format::Entry sm_queue[warps][queue_depth * slice_rows];
    if (!gate.open())
    {
        return;
    }
    std::int64_t const slice = blockIdx.x * static_cast<std::int64_t>(warps) + threadIdx.x / 32;
    if (slice >= slice_count(target.particle_count, candidates.lanes))
    {
        return;
    }
    int const row = threadIdx.x % 32;
    std::int64_t const wanted =
        target.first_particle + (slice * slice_rows + row) / candidates.lanes;
    bool const active = wanted < target.first_particle + target.particle_count;
    auto const particle = static_cast<std::int32_t>(
        active ? wanted : target.first_particle + target.particle_count - 1);
    std::int64_t const list_slice =
        target.first_particle * candidates.lanes / slice_rows + slice;

    auto scale = target.scale;
    if constexpr (std::is_same_v<Slot, PackedSlot> && ranges_kind == Ranges::uniform)
    {
        scale.bits = 21;
    }
    WarpQueue<Slot> queue(sm_queue[threadIdx.x / 32], target, slice, scale, particle);
    P const own = positions.position[particle];
    int const groups = candidates.slots[list_slice] / slot_group;
    auto const* list = reinterpret_cast<int4 const*>(candidates.neighbor +
                                                     candidates.row_start(list_slice, row));
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
            // A row's own particle is the list's padding.
            bool const keep = r_sq < range_sq && neighbors[k] != particle && active;
            queue.push(Format::make(d, species, neighbors[k], scale), keep);
        }
        queue.flush_if_due();
    }
    queue.flush_all();
    if (row == 0)
    {
        target.slots[slice] = min(queue.slots(), target.capacity);
        if (queue.slots() > target.capacity)
        {
            atomicMax(&gate.faults->chunk_slots, static_cast<unsigned long long>(queue.slots()));
            close(gate);
        }
    }
}

template <class P, class Slot>
void launch(PositionView<P> const& positions, RowListView const& candidates,
            PairRanges<typename P::Real> const& ranges, RowTarget<Slot> const& target,
            StepGate const& gate, cudaStream_t stream)
{
    std::int64_t const slices = slice_count(target.particle_count, candidates.lanes);
    auto const blocks = static_cast<unsigned>((slices + warps - 1) / warps);
    if (ranges.table == nullptr)
    {
        reorder_kernel<P, Slot, Ranges::uniform>
            <<<blocks, block, 0, stream>>>(positions, candidates, ranges, target, gate);
    }
    else
    {
        reorder_kernel<P, Slot, Ranges::by_species>
            <<<blocks, block, 0, stream>>>(positions, candidates, ranges, target, gate);
    }
    cuda_check(cudaGetLastError(), "launch of reorder");
}

}  // namespace

template <class P, class Slot>
void launch_reorder(PositionView<P> const& positions, RowListView const& candidates,
                    PairRanges<typename P::Real> const& ranges, ChunkView<Slot> const& chunk,
                    StepGate const& gate, cudaStream_t stream)
{
    launch<P, Slot>(positions, candidates, ranges,
                    {chunk.data, chunk.slots, chunk.first_particle, chunk.particle_count,
                     chunk.capacity, chunk.scale},
                    gate, stream);
}

template <class P>
void launch_prune(PositionView<P> const& positions, RowListView const& candidates,
                  PairRanges<typename P::Real> const& ranges, RowListView const& list,
                  StepGate const& gate, cudaStream_t stream)
{
    launch<P, IndexSlot>(positions, candidates, ranges,
                         {reinterpret_cast<std::byte*>(list.neighbor), list.slots, 0,
                          list.particle_count, list.capacity, {}},
                         gate, stream);
}

#define TESSERA_INSTANTIATE(P, Slot)                                                     \
    template void launch_reorder<P, Slot>(PositionView<P> const&, RowListView const&,    \
                                          PairRanges<P::Real> const&, ChunkView<Slot> const&, \
                                          StepGate const&, cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition, PackedSlot)
TESSERA_INSTANTIATE(FixedPosition, FloatSlot)
TESSERA_INSTANTIATE(FloatPosition, PackedSlot)
TESSERA_INSTANTIATE(FloatPosition, FloatSlot)
TESSERA_INSTANTIATE(DoublePosition, DoubleSlot)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(P)                                                           \
    template void launch_prune<P>(PositionView<P> const&, RowListView const&,            \
                                  PairRanges<P::Real> const&, RowListView const&,        \
                                  StepGate const&, cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
