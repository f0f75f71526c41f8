#include "engine/cpu/chunks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera
{
template <class P, class Slot>
CpuChunks<P, Slot>::CpuChunks(Plan const& plan, Notify notify)
    : asked_chunk_particles_(plan.asked_chunk_particles), notify_(std::move(notify))
{
    if constexpr (std::is_same_v<Slot, PackedSlot>)
    {
        scale_ = packing_scale(plan.max_cutoff, plan.species_count);
    }
}

template <class P, class Slot>
void CpuChunks<P, Slot>::prepare(Layout const& layout)
{
    particles_ = layout.particle_count;
    std::int64_t const share = particles_ / (4 * omp_get_max_threads()) / slice_rows * slice_rows;
    chunk_particles_ = asked_chunk_particles_.value_or(
        std::clamp<std::int64_t>(share, slice_rows, cpu_chunk_particles));
    allocate(std::max(capacity_, layout.chunk_slots));
}

template <class P, class Slot>
void CpuChunks<P, Slot>::allocate(std::int64_t capacity)
{
    capacity_ = padded_slots(static_cast<std::int32_t>(capacity));
    std::int64_t const slices = slice_count(particles_, 1);
    data_.resize(static_cast<std::size_t>(slices * slice_bytes<Slot>(capacity_)));
    slots_.assign(static_cast<std::size_t>(slices), 0);
    cache_.resize((particles_ + chunk_particles_ - 1) / chunk_particles_);
}

template <class P, class Slot>
void CpuChunks<P, Slot>::drop()
{
    data_ = {};
    slots_ = {};
    cache_.resize(0);
}

template <class P, class Slot>
ChunkView<Slot> CpuChunks<P, Slot>::view(std::int64_t index)
{
    std::int64_t const first = index * chunk_particles_;
    std::int64_t const first_slice = first / slice_rows;
    return {data_.data() + first_slice * slice_bytes<Slot>(capacity_),
            slots_.data() + first_slice,
            first,
            std::min(chunk_particles_, particles_ - first),
            capacity_,
            1,
            scale_};
}

template <class P, class Slot>
void CpuChunks<P, Slot>::grow(std::int64_t longest)
{
    ++regrowths_;
    notify_(fmt::format("chunks had {} slots a particle and need {}: grown, and reordered again",
                        capacity_, longest));
    allocate(longest + longest / 8);
}

template <class P, class Slot>
void CpuChunks<P, Slot>::append_bytes(
    std::vector<std::pair<std::string, std::int64_t>>& bytes) const
{
    if (!data_.empty())
    {
        bytes.emplace_back("chunks", data_.size() + slots_.size() * 4);
    }
}

template class CpuChunks<FixedPosition, PackedSlot>;
template class CpuChunks<FixedPosition, FloatSlot>;
template class CpuChunks<FloatPosition, PackedSlot>;
template class CpuChunks<FloatPosition, FloatSlot>;
template class CpuChunks<DoublePosition, DoubleSlot>;

}  // namespace tessera
