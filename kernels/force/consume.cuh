#pragma once
/// The loop over neighbors that every consumer shares: one lane a row, four neighbors at a time.
///
/// A reader of a source gives rows (slices, particle of a row, groups of a row) and loads a group
/// as four displacements and species. A consumer is a small functor:
///
///     Sum                                   what it adds up for a row
///     add(sum, own_species, d[4], species[4])
///     finish(sum, row, lanes)               called by all lanes of a warp

#include <type_traits>

#include "kernels/device/cuda_check.hpp"
#include "kernels/force/force_cuda.hpp"
#include "kernels/force/row_readers.cuh"

namespace tessera::cuda
{

inline constexpr unsigned warp_lanes = 0xFFFFFFFFU;

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

inline __device__ double sum_over(double value, int lanes)
{
    for (int mask = 1; mask < lanes; mask *= 2)
    {
        value += __shfl_xor_sync(warp_lanes, value, mask);
    }
    return value;
}

template <class Potential>
inline constexpr bool is_one_species = true;
template <class Real>
inline constexpr bool is_one_species<LennardJonesMixture<Real>> = false;

template <class Potential>
struct SumForces
{
    static constexpr bool one_species = is_one_species<Potential>;
    using Real = typename Potential::Real;
    using Sum = Vec3<double>;

    Potential potential;
    Vec3<double>* force;

    __device__ void add(Sum& sum, int own_species, FourNeighbors<Real> const& four, bool) const
    {
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            Vec3<Real> const d = four.displacement[slot];
            Vec3<Real> const f =
                potential(dot(d, d), own_species, four.species[slot]).force_over_r * d;
            // Term by term in double: f_ij = -f_ji bit for bit, so momentum stays zero.
            sum += Vec3<double>{static_cast<double>(f.x), static_cast<double>(f.y),
                                static_cast<double>(f.z)};
        }
    }
    __device__ void finish(Sum const& sum, RowPlace const& place, int lanes) const
    {
        Vec3<double> const total{sum_over(sum.x, lanes), sum_over(sum.y, lanes),
                                 sum_over(sum.z, lanes)};
        if (place.active && threadIdx.x % lanes == 0)
        {
            force[place.particle] = total;
        }
    }
};

template <class Potential>
struct SumEnergies
{
    static constexpr bool one_species = is_one_species<Potential>;
    using Real = typename Potential::Real;
    using Sum = EnergySum;

    Potential potential;
    EnergySum* warp_sum;

    __device__ void add(Sum& sum, int own_species, FourNeighbors<Real> const& four,
                        bool active) const
    {
        for (int slot = 0; slot < slot_group && active; ++slot)
        {
            Vec3<Real> const d = four.displacement[slot];
            PairTerm<Real> const term = potential(dot(d, d), own_species, four.species[slot]);
            Vec3<Real> const f = term.force_over_r * d;
            sum.energy += static_cast<double>(term.energy);
            sum.xx += static_cast<double>(d.x * f.x);
            sum.xy += static_cast<double>(d.x * f.y);
            sum.xz += static_cast<double>(d.x * f.z);
            sum.yy += static_cast<double>(d.y * f.y);
            sum.yz += static_cast<double>(d.y * f.z);
            sum.zz += static_cast<double>(d.z * f.z);
        }
    }
    __device__ void finish(Sum const& sum, RowPlace const& place, int) const
    {
        EnergySum const total{0.5 * sum_over(sum.energy, 32), 0.5 * sum_over(sum.xx, 32),
                              0.5 * sum_over(sum.xy, 32),     0.5 * sum_over(sum.xz, 32),
                              0.5 * sum_over(sum.yy, 32),     0.5 * sum_over(sum.yz, 32),
                              0.5 * sum_over(sum.zz, 32)};
        if (threadIdx.x % 32 == 0)
        {
            warp_sum[place.warp] = total;
        }
    }
};

template <class RealType>
struct CountPairs
{
    static constexpr bool one_species = false;
    using Real = RealType;
    struct Sum
    {
    };

    unsigned long long* pairs;
    int bins;
    Real inside_sq, inv_bin;

    __device__ void add(Sum&, int, FourNeighbors<Real> const& four, bool active) const
    {
        for (int slot = 0; slot < slot_group && active; ++slot)
        {
            Vec3<Real> const d = four.displacement[slot];
            Real const r_sq = dot(d, d);
            if (r_sq < inside_sq)
            {
                int const bin = static_cast<int>(sqrt(r_sq) * inv_bin);
                atomicAdd(pairs + min(bin, bins - 1), 1ULL);
            }
        }
    }
    __device__ void finish(Sum const&, RowPlace const&, int) const
    {
    }
};

template <class Potential>
struct CountNeighbors
{
    static constexpr bool one_species = false;
    using Real = typename Potential::Real;
    struct Sum
    {
        int neighbors = 0;
    };

    Potential potential;
    StepFaults* counts;

    __device__ void add(Sum& sum, int own_species, FourNeighbors<Real> const& four, bool) const
    {
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            Vec3<Real> const d = four.displacement[slot];
            auto const& pair =
                potential.table[own_species * potential.species_count + four.species[slot]];
            // Also pairs without an interaction are neighbors.
            Real const range_sq = pair.inside_sq > Real(0) ? pair.inside_sq : pair.cutoff_sq;
            sum.neighbors += dot(d, d) < range_sq ? 1 : 0;
        }
    }
    __device__ void finish(Sum sum, RowPlace const& place, int lanes) const
    {
        for (int mask = 1; mask < lanes; mask *= 2)
        {
            sum.neighbors += __shfl_xor_sync(warp_lanes, sum.neighbors, mask);
        }
        bool const counted = place.active && threadIdx.x % lanes == 0;
        int const own = counted ? sum.neighbors : 0;
        int const all = __reduce_add_sync(warp_lanes, own);
        int const most = __reduce_max_sync(warp_lanes, own);
        if (threadIdx.x % 32 == 0)
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
    LennardJonesMixture<typename Source::Real> const functor{
        potential.table, potential.species_count, potential.truncation};
    launch_consume(source, CountNeighbors<std::decay_t<decltype(functor)>>{functor, counts},
                   StepGate{}, stream);
}

template <class Source>
void launch_forces(Source const& source, PotentialView<typename Source::Real> const& potential,
                   Vec3<double>* force, StepGate const& gate, cudaStream_t stream)
{
    using Real = typename Source::Real;
    auto const run = [&](auto const& functor) {
        launch_consume(source, SumForces<std::decay_t<decltype(functor)>>{functor, force}, gate,
                       stream);
    };
    // Compile time: only the two commonest potentials have kernels of their own.
    if (potential.species_count > 1 || potential.truncation == Truncation::switched)
    {
        run(LennardJonesMixture<Real>{potential.table, potential.species_count,
                                      potential.truncation});
    }
    else if (potential.truncation == Truncation::force_shifted)
    {
        run(LennardJones<Real, Truncation::force_shifted>{potential.first});
    }
    else
    {
        run(LennardJones<Real, Truncation::sharp>{potential.first});
    }
}

template <class Source>
void launch_energies(Source const& source, PotentialView<typename Source::Real> const& potential,
                     EnergySum* warp_sum, cudaStream_t stream)
{
    LennardJonesMixture<typename Source::Real> const functor{
        potential.table, potential.species_count, potential.truncation};
    launch_consume(source, SumEnergies<std::decay_t<decltype(functor)>>{functor, warp_sum},
                   StepGate{}, stream);
}

template <class Source>
void launch_pair_counts(Source const& source, HistogramView const& histogram, cudaStream_t stream)
{
    using Real = typename Source::Real;
    launch_consume(
        source,
        CountPairs<Real>{reinterpret_cast<unsigned long long*>(histogram.pairs), histogram.bins,
                         static_cast<Real>(histogram.inside * histogram.inside),
                         static_cast<Real>(histogram.bins / histogram.range)},
        StepGate{}, stream);
}

#define TESSERA_INSTANTIATE_CONSUMERS(Source)                                                \
    template void launch_forces<Source>(Source const&, PotentialView<Source::Real> const&,   \
                                        Vec3<double>*, StepGate const&, cudaStream_t);       \
    template void launch_energies<Source>(Source const&, PotentialView<Source::Real> const&, \
                                          EnergySum*, cudaStream_t);                         \
    template void launch_neighbor_counts<Source>(                                            \
        Source const&, PotentialView<Source::Real> const&, StepFaults*, cudaStream_t);       \
    template void launch_pair_counts<Source>(Source const&, HistogramView const&, cudaStream_t);

}  // namespace tessera::cuda
