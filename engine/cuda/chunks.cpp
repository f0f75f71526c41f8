#include "engine/cuda/chunks.hpp"

#include <algorithm>
#include <nvtx3/nvtx3.hpp>
#include <type_traits>

namespace tessera
{

template <class Slot>
CudaChunks<Slot>::CudaChunks(Plan const& plan, int streams, cudaStream_t stream,
                             CudaStageClock& clock)
    : stream_(stream), clock_(clock), scale_{}
{
    if constexpr (std::is_same_v<Slot, PackedSlot>)
    {
        scale_ = packing_scale(plan.max_cutoff, plan.species_count);
    }
    for (int n = 0; n < streams; ++n)
    {
        reorder_streams_.emplace_back();
    }
}

template <class Slot>
void CudaChunks<Slot>::prepare(Layout const& layout, std::int64_t buffer_budget)
{
    layout_ = layout;
    budget_ = buffer_budget;
    capacity_ = std::max(capacity_, layout.chunk_slots);
    lay_out();
    allocate();
}

/// Chunks of the wished size, or as many more as make two of them fit.
template <class Slot>
void CudaChunks<Slot>::lay_out()
{
    chunk_particles_ = layout_.chunk_particles;
    auto const bytes = [&](std::int64_t particles) {
        return slice_count(particles, layout_.lanes) * slice_bytes<Slot>(capacity_);
    };
    while (chunk_particles_ > slice_rows && chunk_particles_ < layout_.particle_count
               ? 2 * bytes(chunk_particles_) > budget_
               : bytes(chunk_particles_) > budget_)
    {
        chunk_particles_ = (chunk_particles_ / 2 + slice_rows - 1) / slice_rows * slice_rows;
        if (chunk_particles_ == slice_rows)
        {
            break;
        }
    }
    chunks_ = (layout_.particle_count + chunk_particles_ - 1) / chunk_particles_;
    reordered_.clear();
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk)
    {
        reordered_.emplace_back();
    }
}

template <class Slot>
void CudaChunks<Slot>::allocate()
{
    std::int64_t const slices = slice_count(chunk_particles_, layout_.lanes);
    std::int64_t const bytes = slices * slice_bytes<Slot>(capacity_);
    std::int64_t const affordable = budget_ / std::max<std::int64_t>(bytes, 1);
    std::int64_t const buffers = std::min(chunks_, std::max<std::int64_t>(affordable, 2));
    buffers_.clear();
    for (std::int64_t n = 0; n < buffers; ++n)
    {
        Buffer buffer;
        buffer.data = DeviceBuffer<std::byte>(static_cast<std::size_t>(bytes), stream_);
        buffer.slots = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(slices), stream_);
        buffers_.push_back(std::move(buffer));
    }
    cache_.resize(chunks_);
}

template <class Slot>
void CudaChunks<Slot>::drop()
{
    buffers_.clear();
    reordered_.clear();
    chunks_ = 0;
    cache_.resize(0);
}

template <class Slot>
void CudaChunks<Slot>::fork()
{
    drifted_.record(stream_);
    auto const used = std::min(reorder_streams_.size(), static_cast<std::size_t>(chunks_));
    for (std::size_t n = 0; n < used; ++n)
    {
        drifted_.make_wait(reorder_streams_[n].get());
    }
}

template <class Slot>
ChunkView<Slot> CudaChunks<Slot>::view(std::int64_t chunk) const
{
    Buffer const& buffer = buffers_[buffer_of(chunk)];
    std::int64_t const first = chunk * chunk_particles_;
    return {buffer.data.data(),
            buffer.slots.data(),
            first,
            std::min(chunk_particles_, layout_.particle_count - first),
            capacity_,
            layout_.lanes,
            scale_};
}

template <class Slot>
ChunkView<Slot> CudaChunks<Slot>::get(std::int64_t chunk, void const* source,
                                      Reorder const& reorder, StreamUse overlap)
{
    ChunkView<Slot> const target = view(chunk);
    Buffer& buffer = buffers_[buffer_of(chunk)];
    // A buffer that has since been given to another chunk has another address, as the cache sees
    // it.
    std::byte const* const address = buffer.resident == chunk ? target.data : nullptr;
    if (cache_.is_valid(chunk, source, address))
    {
        return target;
    }
    bool const beside = overlap == StreamUse::streams && chunks_ > 1;
    auto const which = static_cast<std::size_t>(chunk) % reorder_streams_.size();
    cudaStream_t const stream = beside ? reorder_streams_[which].get() : stream_;
    if (beside && chunk >= static_cast<std::int64_t>(buffers_.size()))
    {
        buffer.consumed.make_wait(stream);
    }
    {
        CudaStageClock::Interval const interval(clock_, CudaStage::reorder);
        CudaStageClock::Span const span(clock_, ChunkSpan::Stage::reorder, chunk,
                                        beside ? static_cast<int>(which) + 1 : 0, stream);
        nvtx3::scoped_range const range("reorder");
        reorder(target, stream);
    }
    if (beside)
    {
        Event const& reordered = reordered_[static_cast<std::size_t>(chunk)];
        reordered.record(stream);
        reordered.make_wait(stream_);
    }
    buffer.resident = chunk;
    cache_.set_valid(chunk, source, target.data);
    return target;
}

template <class Slot>
void CudaChunks<Slot>::release(std::int64_t chunk, StreamUse overlap)
{
    if (overlap == StreamUse::streams && chunks_ > static_cast<std::int64_t>(buffers_.size()))
    {
        buffers_[buffer_of(chunk)].consumed.record(stream_);
    }
}

template <class Slot>
void CudaChunks<Slot>::count_replay(void const* source)
{
    cache_.invalidate();
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk)
    {
        Buffer& buffer = buffers_[buffer_of(chunk)];
        std::byte const* const address = buffer.resident == chunk ? buffer.data.data() : nullptr;
        cache_.is_valid(chunk, source, address);
        buffer.resident = chunk;
        cache_.set_valid(chunk, source, buffer.data.data());
    }
}

template <class Slot>
bool CudaChunks<Slot>::grow(cuda::StepFaults const& faults)
{
    auto const needed = static_cast<std::int64_t>(faults.chunk_slots);
    if (needed <= capacity_)
    {
        return false;
    }
    std::int64_t const wanted = needed + needed / 8;
    capacity_ = static_cast<std::int32_t>((wanted + slot_group - 1) / slot_group * slot_group);
    buffers_.clear();
    lay_out();
    allocate();
    return true;
}

template <class Slot>
std::int64_t CudaChunks<Slot>::bytes() const
{
    std::int64_t sum = 0;
    for (Buffer const& buffer : buffers_)
    {
        sum += static_cast<std::int64_t>(buffer.data.bytes() + buffer.slots.bytes());
    }
    return sum;
}

template class CudaChunks<PackedSlot>;
template class CudaChunks<FloatSlot>;
template class CudaChunks<DoubleSlot>;

}  // namespace tessera
