#pragma once
/// Reorder and force of a SHOC problem, chunk by chunk, one after the other or overlapped.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "tools/bench/shoc_device.hpp"

namespace tessera
{

/// What a kind of slot is called, and how it is scaled.
template <class T, class Slot>
struct SlotNaming;
template <>
struct SlotNaming<float, PackedSlot>
{
    static constexpr char const* name = "packed";
    static PackingScale scale(double farthest)
    {
        return packing_scale(farthest, 1);
    }
};
template <>
struct SlotNaming<float, FloatSlot>
{
    static constexpr char const* name = "float";
    static FloatSlot::Scale scale(double)
    {
        return {};
    }
};
template <>
struct SlotNaming<double, DoubleSlot>
{
    static constexpr char const* name = "double";
    static DoubleSlot::Scale scale(double)
    {
        return {};
    }
};

/// How the work is spread.
struct PipelineShape
{
    int reorder_streams = 0;  ///< 0: everything in one stream
    int chunks = 1;
    int ring = 1;  ///< chunks' worth of memory, used round and round

    friend bool operator==(PipelineShape const&, PipelineShape const&) = default;
};

/// What a reorder reads, and how.
template <class T>
struct ReorderInput
{
    ShocTiledList list;
    ShocReorderRule<T> rule;
};

/// N reorder streams fill chunks k, k + 1, ... while the force stream, of higher priority, consumes
/// chunk k; events carry `reordered` one way and, where memory is used again, `consumed` back.
template <class T, class Slot>
class ShocPipeline
{
public:
    ShocPipeline(DeviceShoc<T> const& atoms, ReorderInput<T> input, typename Slot::Scale scale,
                 PipelineShape shape, cudaStream_t stream)
        : atoms_(atoms), input_(input), shape_(shape), force_stream_(StreamPriority::high)
    {
        std::int64_t const count = atoms.view().count;
        std::int64_t const each = (count + shape.chunks - 1) / shape.chunks;
        chunk_atoms_ = (each + slice_rows - 1) / slice_rows * slice_rows;
        for (int s = 0; s < shape.reorder_streams; ++s)
        {
            reorder_streams_.emplace_back();
        }
        for (int r = 0; r < shape.ring; ++r)
        {
            ring_.emplace_back(0, chunk_atoms_, input.list.lanes, scale, stream);
        }
        reordered_.resize(static_cast<std::size_t>(shape.chunks));
        consumed_.resize(static_cast<std::size_t>(shape.chunks));
    }

    /// Queues one reorder of all atoms and their forces; complete when `stream` gets there.
    void queue(cudaStream_t stream) const
    {
        if (shape_.reorder_streams == 0)
        {
            for (int k = 0; k < shape_.chunks; ++k)
            {
                reorder(k, stream);
                force(k, stream);
            }
            return;
        }
        started_.record(stream);
        for (Stream const& s : reorder_streams_)
        {
            started_.make_wait(s.get());
        }
        started_.make_wait(force_stream_.get());
        for (int k = 0; k < shape_.chunks; ++k)
        {
            auto const& s = reorder_streams_[static_cast<std::size_t>(k % shape_.reorder_streams)];
            if (k >= shape_.ring)
            {
                // The chunk's memory still holds chunk k - ring until that one is consumed.
                consumed_[static_cast<std::size_t>(k - shape_.ring)].make_wait(s.get());
            }
            reorder(k, s.get());
            reordered_[static_cast<std::size_t>(k)].record(s.get());
            reordered_[static_cast<std::size_t>(k)].make_wait(force_stream_.get());
            force(k, force_stream_.get());
            consumed_[static_cast<std::size_t>(k)].record(force_stream_.get());
        }
        // The force stream has waited for every reorder: its end is the end of all.
        finished_.record(force_stream_.get());
        finished_.make_wait(stream);
    }

    /// Only the reorders, or only the forces of what is in the chunks, in one stream.
    void queue_reorders(cudaStream_t stream) const
    {
        for (int k = 0; k < shape_.chunks; ++k)
        {
            reorder(k, stream);
        }
    }
    void queue_forces(cudaStream_t stream) const
    {
        for (int k = 0; k < shape_.chunks; ++k)
        {
            force(k, stream);
        }
    }

private:
    ChunkView<Slot> chunk(int k) const
    {
        std::int64_t const first = k * chunk_atoms_;
        std::int64_t const left = atoms_.view().count - first;
        return ring_[static_cast<std::size_t>(k % shape_.ring)].view_of(
            first, std::clamp<std::int64_t>(left, 0, chunk_atoms_));
    }
    void reorder(int k, cudaStream_t stream) const
    {
        cuda::shoc_reorder(atoms_.view(), input_.list, input_.rule, chunk(k), stream);
    }
    void force(int k, cudaStream_t stream) const
    {
        cuda::shoc_chunk_force(chunk(k), input_.list.order, {}, input_.rule.kept_share,
                               atoms_.force(), stream);
    }

    DeviceShoc<T> const& atoms_;
    ReorderInput<T> input_;
    PipelineShape shape_;
    std::int64_t chunk_atoms_ = 0;
    Stream force_stream_;
    std::vector<Stream> reorder_streams_;
    std::vector<DeviceChunk<Slot>> ring_;
    Event started_, finished_;
    std::vector<Event> reordered_, consumed_;
};

}  // namespace tessera
