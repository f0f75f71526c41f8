#include <cmath>

#include "kernels/shoc/shoc.hpp"

namespace tessera::cpu
{
namespace
{

/// The displacements of one slot over the 32 rows of a slice: what vector loops fill.
template <class T>
struct RowsOfSlot
{
    alignas(64) T x[slice_rows];
    alignas(64) T y[slice_rows];
    alignas(64) T z[slice_rows];
};

void put_slot(std::byte* slice_data, int slot, RowsOfSlot<float> const& d,
              std::int32_t const* within, PackingScale scale)
{
    PackedNeighbor const padding = packed_padding(scale);
    auto* const plane = reinterpret_cast<std::uint32_t*>(
                            slice_data + static_cast<std::int64_t>(slot / 2) * (slice_rows * 16)) +
                        (slot % 2) * 2;
#pragma omp simd
    for (int row = 0; row < slice_rows; ++row)
    {
        PackedNeighbor const packed = pack({d.x[row], d.y[row], d.z[row]}, 0, scale);
        plane[row * 4] = within[row] != 0 ? packed.low : padding.low;
        plane[row * 4 + 1] = within[row] != 0 ? packed.high : padding.high;
    }
}

void put_slot(std::byte* slice_data, int slot, RowsOfSlot<float> const& d,
              std::int32_t const* within, FloatSlot::Scale)
{
    constexpr float far = padding_coordinate<float>;
    auto* const plane =
        reinterpret_cast<float*>(slice_data + static_cast<std::int64_t>(slot) * slice_rows * 16);
#pragma omp simd
    for (int row = 0; row < slice_rows; ++row)
    {
        plane[row * 4] = within[row] != 0 ? d.x[row] : far;
        plane[row * 4 + 1] = within[row] != 0 ? d.y[row] : far;
        plane[row * 4 + 2] = within[row] != 0 ? d.z[row] : far;
        plane[row * 4 + 3] = 0.0F;
    }
}

void put_slot(std::byte* slice_data, int slot, RowsOfSlot<double> const& d,
              std::int32_t const* within, DoubleSlot::Scale)
{
    constexpr double far = padding_coordinate<double>;
    auto* const xy =
        reinterpret_cast<double*>(slice_data + static_cast<std::int64_t>(slot) * slice_rows * 32);
    auto* const z_species = xy + 2 * slice_rows;
#pragma omp simd
    for (int row = 0; row < slice_rows; ++row)
    {
        xy[row * 2] = within[row] != 0 ? d.x[row] : far;
        xy[row * 2 + 1] = within[row] != 0 ? d.y[row] : far;
        z_species[row * 2] = within[row] != 0 ? d.z[row] : far;
        z_species[row * 2 + 1] = 0.0;
    }
}

/// The atoms of a slice's rows: own position, and where in the list to look.
template <class T>
struct RowsOfSlice
{
    RowsOfSlot<T> own;
    std::int64_t list_offset[slice_rows];
    std::int32_t real[slice_rows];
};

template <class T, class Slot>
void find_rows(ShocView<T> const& atoms, std::int32_t const* order, ChunkView<Slot> const& chunk,
               std::int64_t slice, RowsOfSlice<T>& rows)
{
    for (int row = 0; row < slice_rows; ++row)
    {
        std::int64_t const local = (slice * slice_rows + row) / chunk.lanes;
        rows.real[row] = local < chunk.particle_count ? 1 : 0;
        std::int64_t const place =
            chunk.first_particle + (rows.real[row] != 0 ? local : chunk.particle_count - 1);
        std::int64_t const atom = order != nullptr ? order[place] : place;
        rows.list_offset[row] = (row % chunk.lanes) * atoms.count + atom;
        rows.own.x[row] = atoms.position[atom].x;
        rows.own.y[row] = atoms.position[atom].y;
        rows.own.z[row] = atoms.position[atom].z;
    }
}

/// One slot of all rows; true if any neighbor is within the range.
template <class T, class Slot>
bool reorder_slot(ShocView<T> const& atoms, RowsOfSlice<T> const& rows, T range_sq, int slot,
                  ChunkView<Slot> const& chunk, std::byte* slice_data)
{
    RowsOfSlot<T> d;
    alignas(64) std::int32_t within[slice_rows];
    alignas(64) std::int32_t first_number[slice_rows];
    std::int32_t const* const list = atoms.list + slot * chunk.lanes * atoms.count;
    for (int row = 0; row < slice_rows; ++row)
    {
        first_number[row] = 4 * list[rows.list_offset[row]];
    }
    // Plain numbers at plain offsets: what compilers turn into vector gathers.
    T const* const number = &atoms.position->x;
    std::int32_t any = 0;
#pragma omp simd reduction(| : any)
    for (int row = 0; row < slice_rows; ++row)
    {
        d.x[row] = rows.own.x[row] - number[first_number[row]];
        d.y[row] = rows.own.y[row] - number[first_number[row] + 1];
        d.z[row] = rows.own.z[row] - number[first_number[row] + 2];
        T const r_sq = shoc_length_sq(Vec3<T>{d.x[row], d.y[row], d.z[row]});
        within[row] = rows.real[row] & (r_sq < range_sq ? 1 : 0);
        any |= within[row];
    }
    put_slot(slice_data, slot, d, within, chunk.scale);
    return any != 0;
}

}  // namespace

template <class T, class Slot>
void shoc_reorder(ShocView<T> atoms, std::int32_t const* order, T range_sq, ChunkView<Slot> chunk)
{
    int const slots = shoc_neighbors / chunk.lanes;
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < slice_count(chunk.particle_count, chunk.lanes); ++slice)
    {
        RowsOfSlice<T> rows;
        find_rows(atoms, order, chunk, slice, rows);
        std::byte* const slice_data = chunk.data + slice * slice_bytes<Slot>(chunk.capacity);
        int used = 0;
        for (int slot = 0; slot < slots; ++slot)
        {
            if (reorder_slot(atoms, rows, range_sq, slot, chunk, slice_data))
            {
                used = slot + 1;
            }
        }
        chunk.slots[slice] = (used + slot_group - 1) / slot_group * slot_group;
    }
}

template void shoc_reorder<float, PackedSlot>(ShocView<float>, std::int32_t const*, float,
                                              ChunkView<PackedSlot>);
template void shoc_reorder<float, FloatSlot>(ShocView<float>, std::int32_t const*, float,
                                             ChunkView<FloatSlot>);
template void shoc_reorder<double, DoubleSlot>(ShocView<double>, std::int32_t const*, double,
                                               ChunkView<DoubleSlot>);

}  // namespace tessera::cpu
