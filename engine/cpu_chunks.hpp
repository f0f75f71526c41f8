#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/chunk_cache.hpp"
#include "engine/config.hpp"
#include "engine/potential_tables.hpp"
#include "kernels/chunk.hpp"
#include "kernels/neighbor.hpp"
#include "kernels/positions.hpp"

namespace tessera
{

/// The chunks of a CPU run: their memory, and the cache that decides when each is reordered.
///
/// All chunks stay resident, so that everything evaluated at unchanged positions is a hit.
template <class P, class Slot>
class CpuChunks
{
public:
    CpuChunks(Config const& config, Notify notify);

    /// Makes room for `particles` at `density`; all entries become invalid.
    void resize(std::int64_t particles, double density);

    /// The positions changed.
    void invalidate()
    {
        cache_.invalidate();
    }

    std::int64_t count() const
    {
        return cache_.size();
    }

    /// Chunk `index`, reordered from `candidates` first if the cache holds no valid one.
    ChunkView<Slot> get(std::int64_t index, PositionView<P> positions, NeighborListView candidates,
                        PairRanges<typename P::Real> ranges);

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

    double cutoff_;
    int species_count_;
    std::int64_t chunk_particles_;
    Notify notify_;
    std::int64_t particles_ = 0;
    std::int32_t capacity_ = 0;
    std::vector<std::byte> data_;
    std::vector<std::int32_t> slots_;
    ChunkCache cache_;
    std::int64_t regrowths_ = 0;
    double reorder_seconds_ = 0.0;
};

/// Particles of a chunk where the input says auto: a chunk of packed slots then stays in the second
/// level cache between the reorder and its consumer (AMD EPYC, 512 KiB a core).
inline constexpr std::int64_t cpu_chunk_particles = 2048;

}  // namespace tessera
