#pragma once
/// Reordering on the device: from a list of candidates to padded rows, of displacements (a chunk)
/// or of indices (an exact list).
/// All launchers queue on `stream` and throw CudaError if the launch fails.

#include <cuda_runtime_api.h>

#include "kernels/chunk.hpp"
#include "kernels/compact_position.hpp"
#include "kernels/force_cuda.hpp"
#include "kernels/neighbor_cuda.hpp"
#include "kernels/positions.hpp"
#include "kernels/step_gate.hpp"

namespace tessera::cuda
{

/// Fills a chunk: of each row's candidates keeps those within the ranges at the present positions,
/// in the candidates' order; padding may lie anywhere in a row. The chunk's lanes must be the
/// candidates', and its first particle a multiple of 32. If a row is longer than the capacity,
/// faults.chunk_slots says what it needs, the gate is closed and the chunk is not usable.
template <class P, class Slot>
void launch_reorder(PositionView<P> const& positions, RowListView const& candidates,
                    PairRanges<typename P::Real> const& ranges, ChunkView<Slot> const& chunk,
                    StepGate const& gate, cudaStream_t stream);

/// One species, and not switched: to bound how many kernels are compiled.
inline bool fuses(int species_count, Truncation truncation)
{
    return species_count == 1 && truncation != Truncation::switched;
}

/// The same, and the forces of each slice by the warp that has just reordered it, while its lines
/// are in the L2: warps that reorder and warps that consume share each multiprocessor. One species;
/// returns false, having queued nothing, for a potential that has no such kernel.
template <class P, class Slot>
void launch_reorder_and_forces(PositionView<P> const& positions, RowListView const& candidates,
                               PairRanges<typename P::Real> const& ranges,
                               ChunkSource<Slot> const& source,
                               PotentialView<typename Slot::Real> const& potential,
                               Vec3<double>* force, StepGate const& gate, cudaStream_t stream);

/// Keeps the candidates within the ranges at the present positions, as a list of the same lanes.
template <class P>
void launch_prune(PositionView<P> const& positions, RowListView const& candidates,
                  PairRanges<typename P::Real> const& ranges, RowListView const& list,
                  StepGate const& gate, cudaStream_t stream);

}  // namespace tessera::cuda
