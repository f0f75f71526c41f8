#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/chunk_cache.hpp"
#include "engine/backend/plan.hpp"
#include "engine/backend/potential_tables.hpp"
#include "engine/backend/stage_timer.hpp"
#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/neighbor/neighbor.hpp"
#include "kernels/reorder/reorder.hpp"

namespace tessera
{

/// The chunks of a CPU run: their memory, and the cache that decides when each is reordered.
///
/// All chunks stay resident, so that everything evaluated at unchanged positions is a hit.
template <class P, class Slot>
class CpuChunks
{
public:
    CpuChunks(Plan const& plan, Notify notify);

    /// Makes room for these particles; all entries become invalid.
    void prepare(Layout const& layout);

    /// Gives the memory back: no chunk is asked for until the next prepare().
    void drop();

    /// The positions changed.
    void invalidate()
    {
        cache_.invalidate();
    }

    /// Calls use(chunk, thread) with each chunk once, reordered from `candidates` first if the
    /// cache holds no valid one. Each of omp_get_max_threads() threads takes whole chunks, so that
    /// a chunk is consumed from the cache of the core that has just reordered it.
    template <class Use>
    void for_each(PositionView<P> positions, NeighborListView candidates,
                  PairRanges<typename P::Real> ranges, Use const& use);

    CacheCounters const& counters() const
    {
        return cache_.counters();
    }
    std::int64_t regrowths() const
    {
        return regrowths_;
    }
    double reorder_seconds() const
    {
        return reorder_seconds_;
    }
    void append_bytes(std::vector<std::pair<std::string, std::int64_t>>& bytes) const;

private:
    ChunkView<Slot> view(std::int64_t index);
    void allocate(std::int64_t capacity);
    void grow(std::int64_t longest);

    std::optional<std::int64_t> asked_chunk_particles_;
    typename Slot::Scale scale_{};
    std::int64_t chunk_particles_ = 0;
    Notify notify_;
    std::int64_t particles_ = 0;
    std::int32_t capacity_ = 0;
    std::vector<std::byte> data_;
    std::vector<std::int32_t> slots_;
    ChunkCache cache_;
    std::int64_t regrowths_ = 0;
    double reorder_seconds_ = 0.0;
};

/// Most particles of a chunk where the input says auto: packed slots then stay in the second level
/// cache between the reorder and its consumer (AMD EPYC, 512 KiB a core). Fewer for small systems,
/// so that every thread has a few chunks.
inline constexpr std::int64_t cpu_chunk_particles = 1024;

template <class P, class Slot>
template <class Use>
void CpuChunks<P, Slot>::for_each(PositionView<P> positions, NeighborListView candidates,
                                  PairRanges<typename P::Real> ranges, Use const& use)
{
    std::vector<std::int64_t> pending(static_cast<std::size_t>(cache_.size()));
    std::iota(pending.begin(), pending.end(), 0);
    while (!pending.empty())
    {
        std::int64_t hits = 0;
        std::int64_t misses = 0;
        std::int64_t longest = 0;
        double reorder_seconds = 0.0;
        auto const size = static_cast<std::int64_t>(pending.size());
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : hits, misses, reorder_seconds) \
    reduction(max : longest)
        for (std::int64_t n = 0; n < size; ++n)
        {
            std::int64_t& index = pending[static_cast<std::size_t>(n)];
            ChunkView<Slot> const chunk = view(index);
            if (cache_.holds(index, positions.position, chunk.data))
            {
                ++hits;
            }
            else
            {
                StageTimer const timer(reorder_seconds);
                ++misses;
                std::int64_t const row = cpu::reorder_chunk(positions, candidates, ranges, chunk);
                longest = std::max(longest, row);
                if (row > capacity_)
                {
                    continue;  // stays pending until the capacity has grown
                }
                cache_.set_valid(index, positions.position, chunk.data);
            }
            use(chunk, omp_get_thread_num());
            index = -1;
        }
        cache_.count(hits, misses);
        reorder_seconds_ += reorder_seconds / omp_get_max_threads();
        std::erase(pending, -1);
        if (longest > capacity_)
        {
            grow(longest);
        }
    }
}

}  // namespace tessera
