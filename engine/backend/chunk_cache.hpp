#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/backend/backend.hpp"

namespace tessera
{

/// The software cache over reordered chunks: one entry a chunk.
///
///     entry   {source address, chunk address, valid}
///
/// A valid entry whose addresses still match skips the reorder. Whoever changes positions (drift,
/// box change, new particles, restart) or moves the memory invalidates; the next use reorders in
/// place and makes the entry valid again. Until then everything evaluated at the same positions is
/// a hit: forces, energies, virial, pair counts.
class ChunkCache
{
public:
    /// Starts over with `chunks` invalid entries.
    void resize(std::int64_t chunks)
    {
        invalidate();
        entries_.assign(static_cast<std::size_t>(chunks), {});
    }

    std::int64_t size() const
    {
        return static_cast<std::int64_t>(entries_.size());
    }

    /// Whether `chunk` holds what `source` would be reordered to at `address`.
    bool holds(std::int64_t chunk, void const* source, std::byte const* address) const
    {
        Entry const& entry = entries_[static_cast<std::size_t>(chunk)];
        return entry.valid && entry.source == source && entry.chunk == address;
    }

    /// The same, counted as a hit or a miss. Not for several threads at once: they ask holds() and
    /// count() afterwards.
    bool is_valid(std::int64_t chunk, void const* source, std::byte const* address)
    {
        bool const hit = holds(chunk, source, address);
        count(hit ? 1 : 0, hit ? 0 : 1);
        return hit;
    }

    void count(std::int64_t hits, std::int64_t misses)
    {
        counters_.hits += hits;
        counters_.misses += misses;
    }

    /// Records that `source` has just been reordered into `address`.
    void set_valid(std::int64_t chunk, void const* source, std::byte const* address)
    {
        entries_[static_cast<std::size_t>(chunk)] = {source, address, true};
    }

    /// The positions changed, or the chunks moved: no entry holds any more.
    void invalidate()
    {
        for (Entry& entry : entries_)
        {
            counters_.invalidations += entry.valid ? 1 : 0;
            entry.valid = false;
        }
    }

    CacheCounters const& counters() const
    {
        return counters_;
    }

private:
    struct Entry
    {
        void const* source = nullptr;
        std::byte const* chunk = nullptr;
        bool valid = false;
    };

    std::vector<Entry> entries_;
    CacheCounters counters_;
};

}  // namespace tessera
