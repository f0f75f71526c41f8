#include <algorithm>
#include <vector>

#include "kernels/reorder/reorder.hpp"

namespace tessera::cpu
{
namespace
{

/// Writes slots of one slice, plane by plane as kernels/arithmetic/chunk.hpp draws it.
void put(std::byte* row, std::int32_t slot, Vec3<float> d, int species, PackingScale scale)
{
    *reinterpret_cast<PackedNeighbor*>(
        row + static_cast<std::int64_t>(slot / 2) * (slice_rows * 16) + (slot % 2) * 8) =
        pack(d, species, scale);
}

void put(std::byte* row, std::int32_t slot, Vec3<float> d, int species, FloatSlot::Scale)
{
    *reinterpret_cast<FloatSlot*>(row + static_cast<std::int64_t>(slot) * (slice_rows * 16)) = {
        d.x, d.y, d.z, static_cast<float>(species)};
}

void put(std::byte* row, std::int32_t slot, Vec3<double> d, int species, DoubleSlot::Scale)
{
    auto* const xy =
        reinterpret_cast<double*>(row + static_cast<std::int64_t>(slot) * (2 * slice_rows * 16));
    double* const z_species = xy + 2 * slice_rows;
    xy[0] = d.x;
    xy[1] = d.y;
    z_species[0] = d.z;
    z_species[1] = species;
}

void put_padding(std::byte* row, std::int32_t slot, PackingScale scale)
{
    *reinterpret_cast<PackedNeighbor*>(
        row + static_cast<std::int64_t>(slot / 2) * (slice_rows * 16) + (slot % 2) * 8) =
        packed_padding(scale);
}

template <class Scale>
void put_padding(std::byte* row, std::int32_t slot, Scale scale)
{
    using Real = std::conditional_t<std::is_same_v<Scale, FloatSlot::Scale>, float, double>;
    constexpr Real far = padding_coordinate<Real>;
    put(row, slot, Vec3<Real>{far, far, far}, 0, scale);
}

/// Displacements of one particle's candidates, and which of them to keep. One a thread.
template <class Real>
struct RowScratch
{
    std::vector<Real> x, y, z, inside;
    std::vector<std::int32_t> species, kept;

    void resize(std::size_t size)
    {
        for (auto* values : {&x, &y, &z, &inside})
        {
            values->resize(size);
        }
        species.resize(size);
        kept.resize(size + 1);
    }
};

/// The neighbors of one particle within the ranges, into its row; returns how many there are.
template <class P, class Slot>
std::int32_t reorder_row(PositionView<P> const& positions, NeighborListView const& candidates,
                         PairRanges<typename P::Real> const& ranges, ChunkView<Slot> const& chunk,
                         std::int64_t particle, std::byte* row,
                         RowScratch<typename P::Real>& scratch)
{
    using Real = typename P::Real;
    P const own = positions.position[particle];
    std::int32_t const* const neighbor = candidates.neighbor + particle * candidates.row_stride;
    std::int32_t const size = candidates.count[particle];
    Real* const x = scratch.x.data();
    Real* const y = scratch.y.data();
    Real* const z = scratch.z.data();
    Real* const inside = scratch.inside.data();
    std::int32_t* const species = scratch.species.data();
    std::int32_t* const kept = scratch.kept.data();
#pragma omp simd
    for (std::int32_t slot = 0; slot < size; ++slot)
    {
        P const& other = positions.position[neighbor[slot * candidates.slot_stride]];
        auto const d = displacement(own, other, positions.scale);
        x[slot] = d.x;
        y[slot] = d.y;
        z[slot] = d.z;
        species[slot] = static_cast<std::int32_t>(other.species);
        inside[slot] = ranges.range_sq(static_cast<int>(own.species), species[slot]) - dot(d, d);
    }
    // The store is unconditional and the count conditional: no branch to mispredict.
    std::int32_t count = 0;
    for (std::int32_t slot = 0; slot < size; ++slot)
    {
        kept[count] = slot;
        count += static_cast<int>(inside[slot] > Real(0));
    }
    for (std::int32_t slot = 0; slot < std::min(count, chunk.capacity); ++slot)
    {
        std::int32_t const from = kept[slot];
        put(row, slot, {x[from], y[from], z[from]}, species[from], chunk.scale);
    }
    return count;
}

}  // namespace

template <class P, class Slot>
std::int64_t reorder_chunk(PositionView<P> positions, NeighborListView candidates,
                           PairRanges<typename P::Real> ranges, ChunkView<Slot> chunk)
{
    std::int64_t longest = 0;
#pragma omp parallel reduction(max : longest)
    {
        RowScratch<typename P::Real> scratch;
        scratch.resize(static_cast<std::size_t>(candidates.capacity));
#pragma omp for schedule(dynamic, 8)
        for (std::int64_t slice = 0; slice < slice_count(chunk.particle_count, 1); ++slice)
        {
            std::byte* const rows = chunk.data + slice * slice_bytes<Slot>(chunk.capacity);
            std::int32_t kept[slice_rows] = {};
            std::int32_t most = 0;
            for (int r = 0; r < slice_rows; ++r)
            {
                std::int64_t const particle = slice * slice_rows + r;
                if (particle < chunk.particle_count)
                {
                    kept[r] = reorder_row(positions, candidates, ranges, chunk,
                                          chunk.first_particle + particle, rows + r * 16, scratch);
                    most = std::max(most, kept[r]);
                }
            }
            longest = std::max<std::int64_t>(longest, most);
            std::int32_t const slots = std::min(padded_slots(most), chunk.capacity);
            chunk.slots[slice] = slots;
            for (int r = 0; r < slice_rows; ++r)
            {
                for (std::int32_t slot = kept[r]; slot < slots; ++slot)
                {
                    put_padding(rows + r * 16, slot, chunk.scale);
                }
            }
        }
    }
    return longest;
}

#define TESSERA_INSTANTIATE(P, Slot)                                                \
    template std::int64_t reorder_chunk<P, Slot>(PositionView<P>, NeighborListView, \
                                                 PairRanges<P::Real>, ChunkView<Slot>);
TESSERA_INSTANTIATE(FixedPosition, PackedSlot)
TESSERA_INSTANTIATE(FixedPosition, FloatSlot)
TESSERA_INSTANTIATE(FloatPosition, PackedSlot)
TESSERA_INSTANTIATE(FloatPosition, FloatSlot)
TESSERA_INSTANTIATE(DoublePosition, DoubleSlot)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cpu
