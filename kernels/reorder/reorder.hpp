#pragma once
/// Reordering: from a list of candidates to the padded rows of a chunk.

#include <cstdint>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/neighbor/neighbor.hpp"

namespace tessera::cpu
{

/// Fills a chunk: of each particle's candidates keeps those within the ranges at the present
/// positions, lays their displacements and species into the particle's row, and pads every row of
/// a slice to the slice's longest, rounded up to a multiple of 8 (two groups: whole vectors for CPU
/// loops). Sets chunk.slots [slice].
///
/// P and Slot: fixed or float positions into packed or float slots, double into double slots.
/// Returns the longest row; if that exceeds chunk.capacity the chunk is not usable: grow and redo.
template <class P, class Slot>
std::int64_t reorder_chunk(PositionView<P> positions, NeighborListView candidates,
                           PairRanges<typename P::Real> ranges, ChunkView<Slot> chunk);

}  // namespace tessera::cpu
