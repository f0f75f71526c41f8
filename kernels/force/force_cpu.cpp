#include "kernels/force/force.hpp"

#include <omp.h>

#include <algorithm>

namespace tessera::cpu
{
namespace
{

/// One neighbor as a consumer wants it.
template <class Real>
struct Neighbor
{
    Vec3<Real> displacement;
    int species;
};

/// One particle's list row, read by index.
template <class P>
struct ListRow
{
    P own;
    P const* position;
    typename P::Scale scale;
    std::int32_t const* neighbor;
    std::int64_t stride;
    std::int32_t particle;
    std::int32_t slots;

    TESSERA_HD Neighbor<typename P::Real> operator[](std::int32_t slot) const
    {
        std::int32_t const index = neighbor[slot * stride];
        P const& other = position[index];
        auto d = displacement(own, other, scale);
        // The row's own index is padding.
        d.x = index == particle ? padding_coordinate<typename P::Real> : d.x;
        return {d, static_cast<int>(other.species)};
    }
};

/// One particle's chunk row: a straight line, no index.
template <class Slot>
struct ChunkRow;

template <>
struct ChunkRow<PackedSlot>
{
    std::byte const* first;
    PackingScale scale;
    std::int32_t slots;

    TESSERA_HD Neighbor<float> operator[](std::int32_t slot) const
    {
        auto const* packed = reinterpret_cast<PackedNeighbor const*>(
            first + static_cast<std::int64_t>(slot / 2) * (slice_rows * 16) + (slot % 2) * 8);
        return {unpack_displacement(*packed, scale), unpack_species(*packed, scale)};
    }
};

template <>
struct ChunkRow<FloatSlot>
{
    std::byte const* first;
    FloatSlot::Scale scale;
    std::int32_t slots;

    TESSERA_HD Neighbor<float> operator[](std::int32_t slot) const
    {
        auto const* plain = reinterpret_cast<FloatSlot const*>(
            first + static_cast<std::int64_t>(slot) * (slice_rows * 16));
        return {{plain->x, plain->y, plain->z}, static_cast<int>(plain->species)};
    }
};

template <>
struct ChunkRow<DoubleSlot>
{
    std::byte const* first;
    DoubleSlot::Scale scale;
    std::int32_t slots;

    TESSERA_HD Neighbor<double> operator[](std::int32_t slot) const
    {
        auto const* xy = reinterpret_cast<double const*>(first + static_cast<std::int64_t>(slot) *
                                                                     (2 * slice_rows * 16));
        double const* const z_species = xy + 2 * slice_rows;
        return {{xy[0], xy[1], z_species[0]}, static_cast<int>(z_species[1])};
    }
};

template <class P>
std::int64_t first_particle(ListSource<P> const&)
{
    return 0;
}

template <class P>
std::int64_t particle_count(ListSource<P> const& source)
{
    return source.list.rows;
}

template <class P>
int species_of(ListSource<P> const& source, std::int64_t particle)
{
    return static_cast<int>(source.positions.position[particle].species);
}

template <class P>
ListRow<P> row_of(ListSource<P> const& source, std::int64_t particle)
{
    NeighborListView const& list = source.list;
    // Rows are padded with their own index, so whole vectors can be read.
    std::int32_t const slots = padded_slots(list.count[particle]);
    return {source.positions.position[particle],
            source.positions.position,
            source.positions.scale,
            list.neighbor + particle * list.row_stride,
            list.slot_stride,
            static_cast<std::int32_t>(particle),
            slots};
}

template <class Slot>
std::int64_t first_particle(ChunkSource<Slot> const& source)
{
    return source.chunk.first_particle;
}

template <class Slot>
std::int64_t particle_count(ChunkSource<Slot> const& source)
{
    return source.chunk.particle_count;
}

template <class Slot>
int species_of(ChunkSource<Slot> const& source, std::int64_t particle)
{
    return source.species[source.chunk.first_particle + particle];
}

template <class Slot>
ChunkRow<Slot> row_of(ChunkSource<Slot> const& source, std::int64_t particle)
{
    ChunkView<Slot> const& chunk = source.chunk;
    std::int64_t const slice = particle / slice_rows;
    std::byte const* const first =
        chunk.data + slice * slice_bytes<Slot>(chunk.capacity) + (particle % slice_rows) * 16;
    return {first, chunk.scale, chunk.slots[slice]};
}

/// The sum over one particle's neighbors, in vectors.
template <class Functor, class Row>
typename Functor::Sum sum_of(Functor const& functor, Row const& row, int species)
{
    typename Functor::Sum sum{};
    for (std::int32_t slot = 0; slot < row.slots; ++slot)
    {
        auto const neighbor = row[slot];
        functor.add(sum, neighbor.displacement, species, neighbor.species);
    }
    return sum;
}

/// A result a particle.
template <class Functor>
struct StoreEach
{
    Functor functor;
    typename Functor::Sum* result;  ///< [particle]

    template <class Row>
    void take(Row const& row, int species, std::int64_t particle, int /*worker*/) const
    {
        result[particle] = sum_of(functor, row, species);
    }
};

/// One sum a slice of 32 particles in memory order, on which one thread at a time works.
template <class Functor>
struct SumSlices
{
    Functor functor;
    typename Functor::Sum* slice_sum;  ///< [particle / 32]

    template <class Row>
    void take(Row const& row, int species, std::int64_t particle, int /*worker*/) const
    {
        slice_sum[particle / slice_rows] += sum_of(functor, row, species);
    }
};

/// A histogram a worker.
template <class Functor>
struct CountBins
{
    Functor functor;
    HistogramView histogram;

    template <class Row>
    void take(Row const& row, int species, std::int64_t /*particle*/, int worker) const
    {
        std::uint64_t* const own =
            histogram.count + static_cast<std::int64_t>(worker) * histogram.bins;
        for (std::int32_t slot = 0; slot < row.slots; ++slot)
        {
            auto const neighbor = row[slot];
            int const bin = functor.bin(neighbor.displacement, species, neighbor.species);
            if (bin >= 0)
            {
                ++own[bin];
            }
        }
    }
};

/// The particles of a slice in order.
template <class Source, class Consumer>
void consume_slice(Source const& source, Consumer const& consumer, std::int64_t slice, int worker)
{
    std::int64_t const first = first_particle(source);
    std::int64_t const end = std::min(particle_count(source), (slice + 1) * slice_rows);
    for (std::int64_t particle = slice * slice_rows; particle < end; ++particle)
    {
        consumer.take(row_of(source, particle), species_of(source, particle), first + particle,
                      worker);
    }
}

template <class P, class Consumer>
void consume(ListSource<P> const& source, Consumer const& consumer)
{
    // The number of a thread is that in the team of this very loop, whatever surrounds the call.
#pragma omp parallel for schedule(dynamic, 8)
    for (std::int64_t slice = 0; slice < slice_count(particle_count(source), 1); ++slice)
    {
        consume_slice(source, consumer, slice, omp_get_thread_num());
    }
}

template <class Slot, class Consumer>
void consume(ChunkSource<Slot> const& source, Consumer const& consumer)
{
    for (std::int64_t slice = 0; slice < slice_count(particle_count(source), 1); ++slice)
    {
        consume_slice(source, consumer, slice, source.worker);
    }
}

template <class P>
typename P::Real real_of(ListSource<P> const&);
template <class Slot>
typename Slot::Real real_of(ChunkSource<Slot> const&);

}  // namespace

template <class Source, class Real>
void compute_forces(Source const& source, PotentialView<Real> const& potential, Vec3<double>* force)
{
    with_potential<MixtureCut::in_loop>(potential, [&]<class Potential>(Potential const& functor) {
        consume(source, StoreEach<Force<Potential>>{{functor}, force});
    });
}

template <class Source, class Real>
void compute_energies(Source const& source, PotentialView<Real> const& potential,
                      EnergySum* slice_sum)
{
    with_potential<MixtureCut::in_loop>(potential, [&]<class Potential>(Potential const& functor) {
        consume(source, SumSlices<Energy<Potential>>{{functor}, slice_sum});
    });
}

template <class Source>
void count_pairs(Source const& source, HistogramView histogram)
{
    using Real = decltype(real_of(source));
    consume(source, CountBins<DistanceBin<Real>>{
                        {histogram.bins, histogram.range, histogram.inside}, histogram});
}

template <class Source>
void sum_pairs(Source const& source, std::size_t place, PairObservableSettings const& settings,
               PairSum* slice_sum)
{
    using Real = decltype(real_of(source));
    with_pair_observable<Real>(place, settings, [&]<class Functor>(Functor const& functor) {
        consume(source, SumSlices<Functor>{functor, slice_sum});
    });
}

#define TESSERA_INSTANTIATE(Source, Real)                                                      \
    template void compute_forces<Source, Real>(Source const&, PotentialView<Real> const&,      \
                                               Vec3<double>*);                                 \
    template void compute_energies<Source, Real>(Source const&, PotentialView<Real> const&,    \
                                                 EnergySum*);                                  \
    template void count_pairs<Source>(Source const&, HistogramView);                           \
    template void sum_pairs<Source>(Source const&, std::size_t, PairObservableSettings const&, \
                                    PairSum*);
TESSERA_INSTANTIATE(ListSource<FixedPosition>, float)
TESSERA_INSTANTIATE(ListSource<FloatPosition>, float)
TESSERA_INSTANTIATE(ListSource<DoublePosition>, double)
TESSERA_INSTANTIATE(ChunkSource<PackedSlot>, float)
TESSERA_INSTANTIATE(ChunkSource<FloatSlot>, float)
TESSERA_INSTANTIATE(ChunkSource<DoubleSlot>, double)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cpu
