#include <algorithm>

#include "kernels/reorder.hpp"

namespace tessera::cpu
{
namespace
{

/// Writes slots of one slice, plane by plane as kernels/chunk.hpp draws it.
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

/// The neighbors of one particle within the ranges, into its row; returns how many there are.
template <class P, class Slot>
std::int32_t reorder_row(PositionView<P> const& positions, NeighborListView const& candidates,
                         PairRanges<typename P::Real> const& ranges, ChunkView<Slot> const& chunk,
                         std::int64_t particle, std::byte* row)
{
    P const own = positions.position[particle];
    std::int32_t const* const neighbor = candidates.neighbor + particle * candidates.row_stride;
    std::int32_t kept = 0;
    for (std::int32_t slot = 0; slot < candidates.count[particle]; ++slot)
    {
        P const& other = positions.position[neighbor[slot * candidates.slot_stride]];
        auto const d = displacement(own, other, positions.scale);
        auto const species = static_cast<int>(other.species);
        bool const keep = dot(d, d) < ranges.range_sq(static_cast<int>(own.species), species);
        // Stored whether kept or not: the next neighbor or the padding overwrites it.
        if (kept < chunk.capacity)
        {
            put(row, kept, d, species, chunk.scale);
        }
        kept += keep ? 1 : 0;
    }
    return kept;
}

}  // namespace

template <class P, class Slot>
std::int64_t reorder_chunk(PositionView<P> positions, NeighborListView candidates,
                           PairRanges<typename P::Real> ranges, ChunkView<Slot> chunk)
{
    std::int64_t longest = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(max : longest)
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
                                      chunk.first_particle + particle, rows + r * 16);
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
