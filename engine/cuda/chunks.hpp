#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/chunk_cache.hpp"
#include "engine/backend/plan.hpp"
#include "engine/cuda/raii.hpp"
#include "engine/cuda/stage_clock.hpp"
#include "kernels/reorder/reorder_cuda.hpp"

namespace tessera
{

/// Whether chunks are reordered beside their consumer or in the same stream.
enum class StreamUse
{
    none,
    streams
};

/// The reorder pipeline: N reorder streams fill chunks k, k + 1, ... while the consuming stream
/// works on chunk k; events carry the edges.
///
///     main stream     drift --+------------- wait reordered[0], consume 0, wait reordered[1], ...
///     reorder stream          +-- reorder 0, record reordered[0], reorder N, ...
///
/// If memory is short there are fewer buffers than chunks, used in turn; the event `consumed` then
/// holds a reorder back until its buffer is free. A chunk that the cache knows to be valid is
/// consumed as it is.
template <class Slot>
class CudaChunks
{
public:
    /// Queues the reorder of one chunk on a stream.
    using Reorder = std::function<void(ChunkView<Slot> const&, cudaStream_t)>;

    /// `clock` is told of reorders in the main stream.
    CudaChunks(Plan const& plan, int streams, cudaStream_t stream, CudaStageClock& clock);

    /// Lays out the chunks; `buffer_budget` bytes at most are used, in at least two buffers.
    void prepare(Layout const& layout, std::int64_t buffer_budget);

    /// Gives the memory back: there are no chunks until the next prepare().
    void drop();

    /// Hands `consume` a view of each chunk in turn, reordered first if the cache has no valid one
    /// from `source` (the positions' address); what it queues on the main stream runs when the
    /// chunk is complete.
    template <class Consume>
    void for_each(void const* source, Reorder const& reorder, StreamUse overlap,
                  Consume const& consume)
    {
        if (overlap == StreamUse::streams && count() > 1)
        {
            fork();
        }
        for (std::int64_t chunk = 0; chunk < count(); ++chunk)
        {
            ChunkView<Slot> const ready = get(chunk, source, reorder, overlap);
            {
                CudaStageClock::Span const span(clock_, ChunkSpan::Stage::force, chunk, 0, stream_);
                consume(ready);
            }
            release(chunk, overlap);
        }
    }

    /// Every chunk's rows were reordered on the chip, for one consumer: misses that leave nothing.
    void count_on_chip()
    {
        cache_.count(0, count());
    }

    /// The questions of for_each to the cache, with no work queued: what replaying a captured step
    /// does.
    void count_replay(void const* source);

    /// The positions changed, or a closed gate kept chunks from being filled.
    void invalidate()
    {
        cache_.invalidate();
    }
    /// Grows what `faults` says did not fit; says whether it did.
    bool grow(cuda::StepFaults const& faults);

    std::int64_t count() const
    {
        return chunks_;
    }
    CacheCounters const& counters() const
    {
        return cache_.counters();
    }
    std::int64_t bytes() const;

private:
    struct Buffer
    {
        DeviceBuffer<std::byte> data;
        DeviceBuffer<std::int32_t> slots;
        std::int64_t resident = -1;  // which chunk it holds
        Event consumed;
    };

    void lay_out();
    void allocate();
    void fork();
    ChunkView<Slot> view(std::int64_t chunk) const;
    ChunkView<Slot> get(std::int64_t chunk, void const* source, Reorder const& reorder,
                        StreamUse overlap);
    void release(std::int64_t chunk, StreamUse overlap);
    std::size_t buffer_of(std::int64_t chunk) const
    {
        return static_cast<std::size_t>(chunk) % buffers_.size();
    }

    cudaStream_t stream_;
    CudaStageClock& clock_;
    Layout layout_;
    typename Slot::Scale scale_;
    std::vector<Stream> reorder_streams_;
    Event drifted_;
    std::vector<Event> reordered_;  // [chunk]
    std::vector<Buffer> buffers_;
    ChunkCache cache_;
    std::int64_t chunk_particles_ = 0, chunks_ = 0;
    std::int64_t budget_ = 0;
    std::int32_t capacity_ = 0;
};

}  // namespace tessera
