#pragma once
/// Evaluating neighbors on the device: forces, energies and pair counts from chunks (the path
/// reordered), from a row list (gather) or from a column list (shoc). One loop, every consumer.
/// All launchers queue on `stream` and throw CudaError if the launch fails.

#include <cuda_runtime_api.h>

#include "kernels/device/step_gate.hpp"
#include "kernels/force/force.hpp"
#include "kernels/neighbor/neighbor_cuda.hpp"

namespace tessera::cuda
{

/// Rows of displacements. `species` [particle] in memory order.
template <class Slot>
struct ChunkSource
{
    using Real = typename Slot::Real;
    ChunkView<Slot> chunk;
    std::int32_t const* species;
};

/// Rows of indices, read four at a time; the list may hold neighbors beyond the cutoff.
template <class P>
struct RowSource
{
    using Real = typename P::Real;
    PositionView<P> positions;
    RowListView list;
};

/// SHOC's shape: one thread a particle, 256 a block, 4-byte indices.
template <class P>
struct ColumnSource
{
    using Real = typename P::Real;
    PositionView<P> positions;
    ColumnListView list;
};

/// force [particle] of the source's particles [epsilon/sigma]; pair terms in Real, summed in
/// double. Does nothing if the gate is not open.
template <class Source>
void launch_forces(Source const& source, PotentialView<typename Source::Real> const& potential,
                   Vec3<double>* force, StepGate const& gate, cudaStream_t stream);

/// Energy and virial of the source's rows, one sum a warp (32 rows), pairs from both sides:
/// warp_sum[first row / 32 + warp], summed in double.
template <class Source>
void launch_energies(Source const& source, PotentialView<typename Source::Real> const& potential,
                     EnergySum* warp_sum, cudaStream_t stream);

/// Adds the neighbors within the cutoff to counts.neighbors, and raises counts.most_neighbors to
/// the most that a particle has.
template <class Source>
void launch_neighbor_counts(Source const& source,
                            PotentialView<typename Source::Real> const& potential,
                            StepFaults* counts, cudaStream_t stream);

/// Adds pairs, counted from both sides, to histogram.count (one histogram, exact in any order).
template <class Source>
void launch_pair_counts(Source const& source, HistogramView const& histogram, cudaStream_t stream);

/// The pair observable at `place` of the list, one sum a warp, as launch_energies().
template <class Source>
void launch_pair_sum(Source const& source, std::size_t place,
                     PairObservableSettings const& settings, PairSum* warp_sum,
                     cudaStream_t stream);

}  // namespace tessera::cuda
