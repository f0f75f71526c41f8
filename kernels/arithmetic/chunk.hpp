#pragma once
/// The layout of a chunk: the neighbors' displacements of a block of particles, re-laid so that a
/// force kernel reads them in one straight line and never sees an index.
///
///     chunk       particles [first, first + count), as slices
///     slice       32 rows (one a lane of a warp); a particle has `lanes` rows, 1 on the CPU
///     row         `capacity` slots, of which its slice uses slots[slice], a multiple of 4
///     slot        one neighbor: displacement (periodic copy applied) and species, or padding
///     plane       32 rows x 16 bytes, stored together: two packed slots, one plain slot (x, y, z,
///                 species in float), or half a double slot (x, y | z, species)
///
///     bytes: [slice][plane][row of slice][16]
///
/// Rows of a slice are padded to the slice's longest with values that contribute exactly zero.
/// All offsets are 64-bit.

#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/packing.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

inline constexpr int slice_rows = 32;
inline constexpr int slot_group = 4;  // slots are used, and overflow grows, in fours

/// A packed slot: 8 bytes.
struct PackedSlot
{
    using Real = float;
    using Scale = PackingScale;
    static constexpr int bytes = 8;
};

/// A plain slot: x, y, z and species in float, 16 bytes.
struct FloatSlot
{
    using Real = float;
    struct Scale
    {
    };
    static constexpr int bytes = 16;
    float x, y, z, species;
};

/// A double slot: x, y, z and species in double, 32 bytes.
struct DoubleSlot
{
    using Real = double;
    struct Scale
    {
    };
    static constexpr int bytes = 32;
    double x, y, z, species;
};

/// Filler displacement of plain slots: its inverse powers underflow to zero and it is beyond any
/// cutoff.
template <class T>
inline constexpr T padding_coordinate = sizeof(T) == 4 ? T(1e15) : T(1e100);

/// Bytes of one slice.
template <class Slot>
TESSERA_HD std::int64_t slice_bytes(std::int32_t capacity)
{
    return static_cast<std::int64_t>(capacity) * Slot::bytes * slice_rows;
}

/// Slices that `particles` particles of `lanes` rows each fill.
TESSERA_HD std::int64_t slice_count(std::int64_t particles, int lanes)
{
    return (particles * lanes + slice_rows - 1) / slice_rows;
}

/// One chunk's memory, borrowed.
template <class Slot>
struct ChunkView
{
    std::byte* data;              ///< [slice][plane][row][16]
    std::int32_t* slots;          ///< [slice] slots in use
    std::int64_t first_particle;  ///< in memory order
    std::int64_t particle_count;
    std::int32_t capacity;  ///< slots of a row, a multiple of 4
    std::int32_t lanes;     ///< rows of a particle
    typename Slot::Scale scale;
};

}  // namespace tessera
