#pragma once
/// The loop over neighbors that every consumer shares: one lane a row, four neighbors at a time.
///
/// A reader of a source gives rows (slices, particle of a row, groups of a row) and loads a group
/// as four displacements and species. A consumer says where the sums of a functor
/// (kernels/force/consumers.hpp) go:
///
///     Sum, Real, one_species                of the functor
///     add(sum, own_species, four, active)   four neighbors of a row
///     finish(sum, row, lanes)               called by all lanes of a warp

#include <type_traits>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/warp_merge.cuh"
#include "kernels/force/force_cuda.hpp"
#include "kernels/force/row_readers.cuh"

namespace tessera::cuda
{

template <class SourceReader, class Consumer>
__device__ void consume_rows(SourceReader const& reader, Consumer const& consumer, int lanes)
{
    typename Consumer::Sum sum{};
#pragma unroll 4
    for (int group = 0; group < reader.groups; ++group)
    {
        FourNeighbors<typename SourceReader::Real> const four = reader.load(group);
        consumer.add(sum, reader.own_species, four, reader.place.active);
    }
    consumer.finish(sum, reader.place, lanes);
}

template <class Source, class Consumer>
__global__ void __launch_bounds__(Reader<Source, Consumer::one_species>::block)
    consume_kernel(Source source, Consumer consumer, StepGate gate)
{
    using SourceReader = Reader<Source, Consumer::one_species>;
    if (!gate.open())
    {
        return;
    }
    std::int64_t const slice =
        blockIdx.x * static_cast<std::int64_t>(SourceReader::block / slice_rows) +
        threadIdx.x / slice_rows;
    if (slice >= SourceReader::slices(source))
    {
        return;
    }
    SourceReader const reader(source, slice);
    consume_rows(reader, consumer, SourceReader::lanes(source));
}

template <class Source, class Consumer>
void launch_consume(Source const& source, Consumer const& consumer, StepGate const& gate,
                    cudaStream_t stream)
{
    using SourceReader = Reader<Source, Consumer::one_species>;
    constexpr std::int64_t slices_per_block = SourceReader::block / slice_rows;
    std::int64_t const slices = SourceReader::slices(source);
    auto const blocks = static_cast<unsigned>((slices + slices_per_block - 1) / slices_per_block);
    if (blocks > 0)
    {
        consume_kernel<<<blocks, SourceReader::block, 0, stream>>>(source, consumer, gate);
        cuda_check(cudaGetLastError(), "launch of a consumer");
    }
}

template <class Functor>
__device__ __forceinline__ void add_four(Functor const& functor, typename Functor::Sum& sum,
                                         int own_species,
                                         FourNeighbors<typename Functor::Real> const& four)
{
#pragma unroll
    for (int slot = 0; slot < slot_group; ++slot)
    {
        functor.add(sum, four.displacement[slot], own_species, four.species[slot]);
    }
}

/// A result a particle. Rows past the last particle are evaluated, and their sums dropped.
template <class Functor>
struct StoreEach
{
    static constexpr bool one_species = Functor::one_species;
    using Real = typename Functor::Real;
    using Sum = typename Functor::Sum;

    Functor functor;
    Sum* result;  ///< [particle]

    __device__ void add(Sum& sum, int own_species, FourNeighbors<Real> const& four, bool) const
    {
        add_four(functor, sum, own_species, four);
    }
    __device__ void finish(Sum sum, RowPlace const& place, int lanes) const
    {
        merge_lanes(sum, lanes);
        if (place.active && threadIdx.x % lanes == 0)
        {
            result[place.particle] = sum;
        }
    }
};

/// One sum a warp.
template <class Functor>
struct SumWarps
{
    static constexpr bool one_species = Functor::one_species;
    using Real = typename Functor::Real;
    using Sum = typename Functor::Sum;

    Functor functor;
    Sum* warp_sum;  ///< [warp], over the whole system

    __device__ void add(Sum& sum, int own_species, FourNeighbors<Real> const& four,
                        bool active) const
    {
        for (int slot = 0; slot < slot_group && active; ++slot)
        {
            functor.add(sum, four.displacement[slot], own_species, four.species[slot]);
        }
    }
    __device__ void finish(Sum sum, RowPlace const& place, int) const
    {
        merge_lanes(sum, slice_rows);
        if (threadIdx.x % slice_rows == 0)
        {
            warp_sum[place.warp] = sum;
        }
    }
};

/// One histogram.
template <class Functor>
struct CountBins
{
    static constexpr bool one_species = Functor::one_species;
    using Real = typename Functor::Real;
    struct Sum
    {
    };

    Functor functor;
    unsigned long long* count;  ///< [bin]

    __device__ void add(Sum&, int own_species, FourNeighbors<Real> const& four, bool active) const
    {
        for (int slot = 0; slot < slot_group && active; ++slot)
        {
            int const bin = functor.bin(four.displacement[slot], own_species, four.species[slot]);
            if (bin >= 0)
            {
                atomicAdd(count + bin, 1ULL);
            }
        }
    }
    __device__ void finish(Sum const&, RowPlace const&, int) const
    {
    }
};

/// The sum and the largest over particles of what a functor counts.
template <class Functor>
struct CountEach
{
    static constexpr bool one_species = Functor::one_species;
    using Real = typename Functor::Real;
    using Sum = int;

    Functor functor;
    StepFaults* counts;

    __device__ void add(Sum& sum, int own_species, FourNeighbors<Real> const& four, bool) const
    {
        add_four(functor, sum, own_species, four);
    }
    __device__ void finish(Sum sum, RowPlace const& place, int lanes) const
    {
        merge_lanes(sum, lanes);
        bool const counted = place.active && threadIdx.x % lanes == 0;
        int const own = counted ? sum : 0;
        int const all = __reduce_add_sync(all_lanes, own);
        int const most = __reduce_max_sync(all_lanes, own);
        if (threadIdx.x % slice_rows == 0)
        {
            atomicAdd(&counts->neighbors, static_cast<unsigned long long>(all));
            atomicMax(&counts->most_neighbors, static_cast<unsigned long long>(most));
        }
    }
};

template <class Source>
void launch_neighbor_counts(Source const& source,
                            PotentialView<typename Source::Real> const& potential,
                            StepFaults* counts, cudaStream_t stream)
{
    using Functor = NeighborCount<typename Source::Real>;
    launch_consume(source, CountEach<Functor>{{potential.table, potential.species_count}, counts},
                   StepGate{}, stream);
}

template <class Source>
void launch_forces(Source const& source, PotentialView<typename Source::Real> const& potential,
                   Vec3<double>* force, StepGate const& gate, cudaStream_t stream)
{
    with_potential<MixtureCut::in_loop>(potential, [&]<class Potential>(Potential const& functor) {
        launch_consume(source, StoreEach<Force<Potential>>{{functor}, force}, gate, stream);
    });
}

template <class Source>
void launch_energies(Source const& source, PotentialView<typename Source::Real> const& potential,
                     EnergySum* warp_sum, cudaStream_t stream)
{
    with_any_potential(potential, [&]<class Potential>(Potential const& functor) {
        launch_consume(source, SumWarps<Energy<Potential>>{{functor}, warp_sum}, StepGate{},
                       stream);
    });
}

template <class Source>
void launch_pair_counts(Source const& source, HistogramView const& histogram, cudaStream_t stream)
{
    using Functor = DistanceBin<typename Source::Real>;
    launch_consume(source,
                   CountBins<Functor>{{histogram.bins, histogram.range, histogram.inside},
                                      reinterpret_cast<unsigned long long*>(histogram.count)},
                   StepGate{}, stream);
}

template <class Source>
void launch_pair_sum(Source const& source, std::size_t place,
                     PairObservableSettings const& settings, PairSum* warp_sum, cudaStream_t stream)
{
    with_pair_observable<typename Source::Real>(
        place, settings, [&]<class Functor>(Functor const& functor) {
            launch_consume(source, SumWarps<Functor>{functor, warp_sum}, StepGate{}, stream);
        });
}

#define TESSERA_INSTANTIATE_CONSUMERS(Source)                                                    \
    template void launch_forces<Source>(Source const&, PotentialView<Source::Real> const&,       \
                                        Vec3<double>*, StepGate const&, cudaStream_t);           \
    template void launch_energies<Source>(Source const&, PotentialView<Source::Real> const&,     \
                                          EnergySum*, cudaStream_t);                             \
    template void launch_neighbor_counts<Source>(                                                \
        Source const&, PotentialView<Source::Real> const&, StepFaults*, cudaStream_t);           \
    template void launch_pair_counts<Source>(Source const&, HistogramView const&, cudaStream_t); \
    template void launch_pair_sum<Source>(Source const&, std::size_t,                            \
                                          PairObservableSettings const&, PairSum*, cudaStream_t);

}  // namespace tessera::cuda
