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

#include "kernels/cuda_check.hpp"
#include "kernels/device_packing.cuh"
#include "kernels/force_cuda.hpp"

namespace tessera::cuda
{

inline constexpr unsigned warp_lanes = 0xFFFFFFFFU;

/// One row of a source, as a lane sees it.
struct RowPlace
{
    std::int64_t slice;     ///< within the source
    std::int64_t warp;      ///< over the whole system: slice plus those of earlier chunks
    std::int64_t particle;  ///< in memory order
    bool active;            ///< false past the last particle
};

template <class Real>
struct FourNeighbors
{
    Vec3<Real> displacement[slot_group];
    int species[slot_group];
};

/// What readers of sliced sources share.
inline __device__ RowPlace place_in_slices(std::int64_t slice, std::int64_t first,
                                           std::int64_t count, int lanes)
{
    std::int64_t const local = (slice * slice_rows + threadIdx.x % slice_rows) / lanes;
    bool const active = local < count;
    return {slice, first * lanes / slice_rows + slice, first + (active ? local : count - 1),
            active};
}

/// `one_species` fixes the packed format at compile time.
template <class Source, bool one_species>
class Reader;

template <class Slot, bool one_species>
class Reader<ChunkSource<Slot>, one_species>
{
public:
    static constexpr int block = 128;
    using Real = typename Slot::Real;

    __device__ Reader(ChunkSource<Slot> const& source, std::int64_t slice)
        : Reader(source, slice, source.chunk.slots[slice] / slot_group)
    {
    }
    __device__ Reader(ChunkSource<Slot> const& source, std::int64_t slice, int known_groups)
        : place(place_in_slices(slice, source.chunk.first_particle, source.chunk.particle_count,
                                source.chunk.lanes)),
          groups(known_groups),
          own_species(source.species[place.particle]),
          scale_(source.chunk.scale),
          row_(source.chunk.data + slice * slice_bytes<Slot>(source.chunk.capacity) +
               threadIdx.x % slice_rows * 16)
    {
        if constexpr (std::is_same_v<Slot, PackedSlot> && one_species)
        {
            scale_.bits = 21;
        }
    }
    static __host__ __device__ std::int64_t slices(ChunkSource<Slot> const& source)
    {
        return slice_count(source.chunk.particle_count, source.chunk.lanes);
    }
    static __device__ int lanes(ChunkSource<Slot> const& source)
    {
        return source.chunk.lanes;
    }

    // Read once: L2 only. The loads see what the same thread has stored before.
    __device__ FourNeighbors<Real> load(int group) const
    {
        FourNeighbors<Real> four;
        constexpr int planes = Slot::bytes * slot_group / 16;
        std::byte const* const first = row_ + group * (planes * slice_rows * 16);
        if constexpr (std::is_same_v<Slot, PackedSlot>)
        {
#pragma unroll
            for (int p = 0; p < planes; ++p)
            {
                uint4 const two = __ldcg(plane<uint4>(first, p));
                put(four, 2 * p, {two.x, two.y});
                put(four, 2 * p + 1, {two.z, two.w});
            }
        }
        else if constexpr (std::is_same_v<Slot, FloatSlot>)
        {
#pragma unroll
            for (int p = 0; p < planes; ++p)
            {
                float4 const one = __ldcg(plane<float4>(first, p));
                four.displacement[p] = {one.x, one.y, one.z};
                four.species[p] = static_cast<int>(one.w);
            }
        }
        else
        {
#pragma unroll
            for (int slot = 0; slot < slot_group; ++slot)
            {
                double2 const xy = __ldcg(plane<double2>(first, 2 * slot));
                double2 const z_species = __ldcg(plane<double2>(first, 2 * slot + 1));
                four.displacement[slot] = {xy.x, xy.y, z_species.x};
                four.species[slot] = static_cast<int>(z_species.y);
            }
        }
        return four;
    }

    RowPlace place;
    int groups;
    int own_species;

private:
    template <class T>
    static __device__ T const* plane(std::byte const* first, int p)
    {
        return reinterpret_cast<T const*>(first + p * (slice_rows * 16));
    }
    __device__ void put(FourNeighbors<Real>& four, int slot, PackedNeighbor packed) const
    {
        four.displacement[slot] = device_unpack(packed, scale_);
        four.species[slot] = unpack_species(packed, scale_);
    }

    typename Slot::Scale scale_;
    std::byte const* row_;
};

template <class P, bool one_species>
class Reader<RowSource<P>, one_species>
{
public:
    static constexpr int block = 128;
    using Real = typename P::Real;

    __device__ Reader(RowSource<P> const& source, std::int64_t slice)
        : place(place_in_slices(slice, 0, source.list.particle_count, source.list.lanes)),
          groups(source.list.slots[slice] / slot_group),
          own_(source.positions.position[place.particle]),
          positions_(source.positions),
          row_(reinterpret_cast<int4 const*>(
              source.list.neighbor + source.list.row_start(slice, threadIdx.x % slice_rows)))
    {
        own_species = static_cast<int>(own_.species);
    }
    static __host__ __device__ std::int64_t slices(RowSource<P> const& source)
    {
        return source.list.slices();
    }
    static __device__ int lanes(RowSource<P> const& source)
    {
        return source.list.lanes;
    }

    __device__ FourNeighbors<Real> load(int group) const
    {
        int4 const index = __ldg(row_ + group * slice_rows);
        P const others[slot_group] = {positions_.position[index.x], positions_.position[index.y],
                                      positions_.position[index.z], positions_.position[index.w]};
        FourNeighbors<Real> four;
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            four.displacement[slot] = displacement(own_, others[slot], positions_.scale);
            four.species[slot] = static_cast<int>(others[slot].species);
        }
        return four;
    }

    RowPlace place;
    int groups;
    int own_species;

private:
    P own_;
    PositionView<P> positions_;
    int4 const* row_;
};

template <class P, bool one_species>
class Reader<ColumnSource<P>, one_species>
{
public:
    static constexpr int block = 256;  // SHOC's
    using Real = typename P::Real;

    __device__ Reader(ColumnSource<P> const& source, std::int64_t slice)
        : place(place_in_slices(slice, 0, source.list.particle_count, 1)),
          own_(source.positions.position[place.particle]),
          slots_(source.list.slots[place.particle]),
          source_(source)
    {
        groups = (slots_ + slot_group - 1) / slot_group;
        own_species = static_cast<int>(own_.species);
    }
    static __host__ __device__ std::int64_t slices(ColumnSource<P> const& source)
    {
        return slice_count(source.list.particle_count, 1);
    }
    static __device__ int lanes(ColumnSource<P> const&)
    {
        return 1;
    }

    __device__ FourNeighbors<Real> load(int group) const
    {
        FourNeighbors<Real> four;
#pragma unroll
        for (int slot = 0; slot < slot_group; ++slot)
        {
            int const entry = group * slot_group + slot;
            // Past the end the particle itself: a distance of zero contributes nothing.
            std::int64_t const index =
                entry < slots_
                    ? source_.list.neighbor[entry * source_.list.particle_count + place.particle]
                    : place.particle;
            P const other = source_.positions.position[index];
            four.displacement[slot] = displacement(own_, other, source_.positions.scale);
            four.species[slot] = static_cast<int>(other.species);
        }
        return four;
    }

    RowPlace place;
    int groups;
    int own_species;

private:
    P own_;
    int slots_;
    ColumnSource<P> source_;
};

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
    Real range_sq, inv_bin;

    __device__ void add(Sum&, int, FourNeighbors<Real> const& four, bool active) const
    {
        for (int slot = 0; slot < slot_group && active; ++slot)
        {
            Vec3<Real> const d = four.displacement[slot];
            Real const r_sq = dot(d, d);
            if (r_sq < range_sq && r_sq > Real(0))
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
            Real const inside_sq =
                potential.table[own_species * potential.species_count + four.species[slot]]
                    .inside_sq;
            sum.neighbors += dot(d, d) < inside_sq && dot(d, d) > Real(0) ? 1 : 0;
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
                         static_cast<Real>(histogram.range * histogram.range),
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
