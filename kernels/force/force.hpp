#pragma once
/// Evaluating neighbors: forces, energies and pair counts, from a list (the paths gather and shoc)
/// or from chunks (the path reordered). One loop, every consumer.

#include <cstdint>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/pair_potential.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/force/consumers.hpp"
#include "kernels/force/pair_observables.hpp"
#include "kernels/neighbor/neighbor.hpp"

namespace tessera
{

/// Histograms of distances, one a worker.
struct HistogramView
{
    std::uint64_t* count;  ///< [worker][bin]
    int bins;
    double range;   ///< of the bins [sigma]
    double inside;  ///< pairs count below this [sigma]: the range, or a little less
};

namespace cpu
{

/// Neighbors by index: what the paths gather and shoc read.
template <class P>
struct ListSource
{
    PositionView<P> positions;
    NeighborListView list;
};

/// Neighbors by chunk: what the path reordered reads. Its particles are evaluated one after the
/// other by the thread that calls: chunks, not what is in them, are shared out among threads.
template <class Slot>
struct ChunkSource
{
    ChunkView<Slot> chunk;
    std::int32_t const* species;  ///< [particle], in memory order
    int worker;  ///< which of those that evaluate chunks side by side: they share no histogram
};

/// Writes force [particle] for the particles of the source [epsilon/sigma].
/// Source is a ListSource or ChunkSource; a list may hold neighbors beyond the cutoff.
template <class Source, class Real>
void compute_forces(Source const& source, PotentialView<Real> const& potential,
                    Vec3<double>* force);

/// Adds energy and virial, pairs from both sides, to slice_sum [particle / 32].
template <class Source, class Real>
void compute_energies(Source const& source, PotentialView<Real> const& potential,
                      EnergySum* slice_sum);

/// Counts pairs by distance, from both sides. A list is shared out among omp_get_max_threads()
/// threads, and each has a histogram; a chunk goes into the histogram of its worker.
template <class Source>
void count_pairs(Source const& source, HistogramView histogram);

/// Adds the pair observable at `place` of the list to slice_sum [particle / 32].
template <class Source>
void sum_pairs(Source const& source, std::size_t place, PairObservableSettings const& settings,
               PairSum* slice_sum);

}  // namespace cpu
}  // namespace tessera
