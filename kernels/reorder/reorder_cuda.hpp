#pragma once
/// Reordering on the device: from a list of candidates to padded rows, of displacements (a chunk)
/// or of indices (an exact list).
/// All launchers queue on `stream` and throw CudaError if the launch fails.

#include <cuda_runtime_api.h>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/compact_position.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/device/step_gate.hpp"
#include "kernels/force/force_cuda.hpp"
#include "kernels/neighbor/neighbor_cuda.hpp"

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

/// Reorder and forces in one kernel, with padded rows that never leave the chip: each warp queues
/// the neighbors within range in shared memory, a ring a lane, and consumes four a lane as soon as
/// all lanes have them. No row can overflow, and nothing is left for another consumer. Pairs are
/// not tested again, so `ranges` are 0 for pairs without an interaction, and the candidates'
/// padding ends their rows.
template <class P>
void launch_row_forces(PositionView<P> const& positions, RowListView const& candidates,
                       PairRanges<typename P::Real> const& ranges,
                       PotentialView<typename P::Real> const& potential, Vec3<double>* force,
                       StepGate const& gate, cudaStream_t stream);

/// Keeps the candidates within the ranges at the present positions, as a list of the same lanes.
template <class P>
void launch_prune(PositionView<P> const& positions, RowListView const& candidates,
                  PairRanges<typename P::Real> const& ranges, RowListView const& list,
                  StepGate const& gate, cudaStream_t stream);

}  // namespace tessera::cuda
