#include "engine/cpu_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cpu_lists.hpp"
#include "engine/stage_timer.hpp"
#include "kernels/reorder.hpp"

namespace tessera
{
template <class P, class Slot>
CpuChunks<P, Slot>::CpuChunks(Config const& config, Notify notify)
    : cutoff_(max_cutoff(config)),
      species_count_(static_cast<int>(config.system.species.size())),
      chunk_particles_(config.reorder.chunk_particles.value_or(cpu_chunk_particles)),
      notify_(std::move(notify))
{
}

template <class P, class Slot>
void CpuChunks<P, Slot>::resize(std::int64_t particles, double density)
{
    particles_ = particles;
    double const expected =
        std::min(expected_neighbors(density, cutoff_), static_cast<double>(particles));
    allocate(std::max<std::int64_t>(capacity_, first_capacity(expected)));
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
ChunkView<Slot> CpuChunks<P, Slot>::view(std::int64_t index)
{
    std::int64_t const first = index * chunk_particles_;
    std::int64_t const first_slice = first / slice_rows;
    typename Slot::Scale scale{};
    if constexpr (std::is_same_v<Slot, PackedSlot>)
    {
        scale = packing_scale(cutoff_, species_count_);
    }
    return {data_.data() + first_slice * slice_bytes<Slot>(capacity_),
            slots_.data() + first_slice,
            first,
            std::min(chunk_particles_, particles_ - first),
            capacity_,
            1,
            scale};
}

template <class P, class Slot>
ChunkView<Slot> CpuChunks<P, Slot>::get(std::int64_t index, PositionView<P> positions,
                                        NeighborListView candidates,
                                        PairRanges<typename P::Real> ranges)
{
    ChunkView<Slot> chunk = view(index);
    if (cache_.is_valid(index, positions.position, chunk.data))
    {
        return chunk;
    }
    StageTimer const timer(reorder_seconds_);
    std::int64_t const longest = cpu::reorder_chunk(positions, candidates, ranges, chunk);
    if (longest > capacity_)
    {
        ++regrowths_;
        notify_(
            fmt::format("chunks had {} slots a particle and need {}: grown, and reordered again",
                        capacity_, longest));
        allocate(longest + longest / 8);
        chunk = view(index);
        cpu::reorder_chunk(positions, candidates, ranges, chunk);
    }
    cache_.set_valid(index, positions.position, chunk.data);
    return chunk;
}

template <class P, class Slot>
void CpuChunks<P, Slot>::append_bytes(
    std::vector<std::pair<std::string, std::int64_t>>& bytes) const
{
    bytes.emplace_back("chunks", data_.size() + slots_.size() * 4);
}

template class CpuChunks<FixedPosition, PackedSlot>;
template class CpuChunks<FixedPosition, FloatSlot>;
template class CpuChunks<FloatPosition, PackedSlot>;
template class CpuChunks<FloatPosition, FloatSlot>;
template class CpuChunks<DoublePosition, DoubleSlot>;

}  // namespace tessera
