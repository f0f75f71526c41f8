#pragma once
/// The molecular dynamics kernel of the SHOC benchmark suite (Danalis et al., GPGPU-3, 63 (2010)):
/// the baseline of the force kernels, and other ways to compute the same forces.
///
/// n atoms in a non-periodic cube; for each the 128 nearest others, in order of ascending distance.
/// Within the cutoff a pair pushes with force_over_r = r^-2 r^-6 (lj1 r^-6 - lj2); beyond it
/// contributes zero, but the pair is still read and tested.

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/pair_form.hpp"
#include "kernels/arithmetic/vec3.hpp"
#include "kernels/device/stream_handle.hpp"

namespace tessera
{

inline constexpr int shoc_neighbors = 128;
inline constexpr double shoc_edge = 20.0;  ///< of the cube [sigma]
inline constexpr double shoc_cutoff_sq = 16.0;
inline constexpr double shoc_lj1 = 1.5;
inline constexpr double shoc_lj2 = 2.0;

/// A position as SHOC stores it: four numbers, the last unused.
template <class T>
struct alignas(4 * sizeof(T)) ShocPosition
{
    T x, y, z, unused;
};

/// Squared length, rounded the same way by every compiler: whether a neighbor is within a range
/// must not depend on where it is asked.
template <class T>
TESSERA_HD T shoc_length_sq(Vec3<T> d)
{
    return std::fma(d.x, d.x, std::fma(d.y, d.y, d.z * d.z));
}

/// SHOC's pair term, as a potential: what chunk and list loops call.
template <class T>
struct ShocPair
{
    using Real = T;
    T cutoff_sq = T(shoc_cutoff_sq);
    T lj1 = T(shoc_lj1);
    T lj2 = T(shoc_lj2);

    TESSERA_HD PairTerm<T> operator()(T r_sq, int /*species*/, int /*neighbor_species*/) const
    {
        T const inv_r_sq = T(1) / r_sq;
        T const inv_r6 = inv_r_sq * inv_r_sq * inv_r_sq;
        T const force_over_r = inv_r_sq * inv_r6 * (lj1 * inv_r6 - lj2);
        return {r_sq < cutoff_sq ? force_over_r : T(0), T(0)};
    }
};

/// Atoms and SHOC's own list, borrowed.
template <class T>
struct ShocView
{
    ShocPosition<T> const* position;  ///< [atom]
    std::int32_t const* list;         ///< [slot][atom], column-major: list[slot * count + atom]
    std::int64_t count;
};

/// The same list laid for 16-byte loads: a plane holds 4 indices of each of 32 rows, and an atom
/// has `lanes` rows (1, 2, 4 or 8).
///
///     index   [slice][group][row of slice][4], groups = 32 / lanes
///             entry k of group g in lane l of an atom is its neighbor (4 g + k) lanes + l
///     order   [place] the atom whose rows stand there; null: place and atom are the same
///
/// Rows past the last atom hold index 0.
struct ShocTiledList
{
    std::int32_t const* index;
    std::int32_t const* order;
    int lanes;
};

/// Groups of four neighbors in a row of an atom with `lanes` rows.
TESSERA_HD constexpr int shoc_groups(int lanes)
{
    return shoc_neighbors / (slot_group * lanes);
}

/// Warps of a block of cuda::shoc_reorder, and the most that share one slice's groups.
inline constexpr int shoc_reorder_warps = 8;

/// Which list a reorder reads.
enum class ShocListLayout : std::uint8_t
{
    column_major,
    tiled
};

/// How a reorder on the device goes.
template <class T>
struct ShocReorderRule
{
    ShocListLayout layout;
    T range_sq;               ///< neighbors at or beyond it become padding
    float kept_share = 0.0F;  ///< of the chunk, in the second-level cache; 0: as it comes
};

namespace cpu
{

/// SHOC's forces [atom], over SHOC's list; in T.
template <class T>
void shoc_force(ShocView<T> atoms, ShocPair<T> pair, Vec3<T>* force);

/// Lays SHOC's list out anew; `index` has slice_count(count, lanes) * 4096 / lanes entries.
void shoc_tile_list(std::int32_t const* list, std::int64_t count, std::int32_t const* order,
                    int lanes, std::int32_t* index);

/// Fills a chunk whose places are [chunk.first_particle, ... + chunk.particle_count) of `order`
/// (null: the atoms themselves) from SHOC's list. Neighbors at or beyond range_sq become padding,
/// and groups of a slice past its last neighbor within are left out (slots [slice] says how many
/// are in use); range_sq infinite keeps all 128. The chunk's capacity is at least 128 / lanes.
/// Rows are as ShocTiledList draws them.
/// T and Slot: float into packed or float slots, double into double slots.
template <class T, class Slot>
void shoc_reorder(ShocView<T> atoms, std::int32_t const* order, T range_sq, ChunkView<Slot> chunk);

}  // namespace cpu

namespace cuda
{

/// How SHOC's kernel divides.
enum class ShocDivision : std::uint8_t
{
    ieee,  ///< correctly rounded, as SHOC is compiled; its branch keeps loads from overlapping
    approximate  ///< single precision only: one instruction, as the other kernels here do
};

/// SHOC's kernel as it is: one thread an atom, 256 a block, 4-byte column-major list.
template <class T>
void shoc_force(ShocView<T> atoms, ShocPair<T> pair, ShocDivision division, Vec3<T>* force,
                StreamHandle stream);

/// Four indices a load, `list.lanes` threads an atom.
template <class T>
void shoc_gather(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, Vec3<T>* force,
                 StreamHandle stream);

/// What cpu::shoc_reorder does, bit for bit. With ShocListLayout::tiled it reads list.index, whose
/// lanes are the chunk's, otherwise atoms.list; list.order counts for both.
/// first_particle * lanes must be a multiple of 32. kept_share > 0 asks the second-level cache to
/// keep that share of the chunk: for chunks larger than the cache.
template <class T, class Slot>
void shoc_reorder(ShocView<T> atoms, ShocTiledList list, ShocReorderRule<T> rule,
                  ChunkView<Slot> chunk, StreamHandle stream);

/// Forces of the chunk's atoms, from the chunk alone; `order` and kept_share as for the reorder.
template <class Slot>
void shoc_chunk_force(ChunkView<Slot> chunk, std::int32_t const* order,
                      ShocPair<typename Slot::Real> pair, float kept_share,
                      Vec3<typename Slot::Real>* force, StreamHandle stream);

/// Which halves of the tile kernel do their work: both for the forces, one to time it.
enum class TileWork : std::uint8_t
{
    both,
    reorder_alone,  ///< tiles are filled, and not consumed: forces are not written
    force_alone     ///< tiles are consumed as they lie, unfilled: forces are meaningless
};

/// Reorder and force in one kernel: three warps of four lay neighbors' displacements into padded
/// tiles in shared memory, the fourth consumes their tiles in a straight line.
template <class T>
void shoc_tile_force(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, TileWork work,
                     Vec3<T>* force, StreamHandle stream);

}  // namespace cuda
}  // namespace tessera
