#pragma once
/// Putting particles in order of (cell, id) on the device: neighbors in space become neighbors in
/// memory, and the order depends on positions alone. Places in id order stand for the ids: keys
/// laid there are sorted stably. All launchers queue on `stream` and throw CudaError if something
/// fails.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/motion/attributes.hpp"
#include "kernels/neighbor/cells.hpp"

namespace tessera::cuda
{

/// Cells for the device's search: about a third of `radius` along x, which is contiguous in memory,
/// and `radius` along y and z, so that 32 particles in a row are a compact cluster.
inline GridSpec device_grid_spec(Box const& box, Bounds const& bounds, double radius)
{
    return {box, bounds, {radius / 3.0, radius, radius}, radius};
}

/// Scratch of a sort, borrowed. Arrays are [particle].
struct SortScratch
{
    std::uint32_t* key;         ///< cell, or its coordinate along one axis
    std::uint32_t* sorted_key;  ///< the same, ascending
    std::int32_t* index;        ///< old index in the order before
    std::int32_t* order;        ///< out: order[new index] = old index
    std::byte* temporary;
    std::size_t temporary_bytes;
};

/// Bytes of SortScratch::temporary for `count` particles.
std::size_t sort_temporary_bytes(std::int64_t count);

/// order and the table of cells, from `reference` [particle]. Dense grid: particles of cell c are
/// [table[c], table[c + 1]) of the new order, cell_count + 1 entries. Sparse grid: the cells (x, y,
/// z) of the particles in the new order, 3 `count` entries. cell_table_size() is enough for both.
void sort_by_cell(Vec3<double> const* reference, std::int32_t const* place, std::int64_t count,
                  CellGrid const& grid, SortScratch const& scratch, std::int32_t* table,
                  cudaStream_t stream);

/// Entries of the table of cells for `count` particles.
inline std::int64_t cell_table_size(std::int64_t count)
{
    return 4 * count + 65;
}

/// *shared = sum over the cells of a dense grid of the squared number of their particles.
void sum_shared_cells(std::int32_t const* table, std::int64_t cells, unsigned long long* shared,
                      cudaStream_t stream);

template <class T>
using DeviceArray = T*;
/// One copy of the arrays that move when particles are sorted.
using ParticleArrays = SortedAttributes<DeviceArray>;

/// to[i] = from[order[i]].
void permute(ParticleArrays const& from, std::int32_t const* order, std::int64_t count,
             ParticleArrays const& to, cudaStream_t stream);

/// to[place[i]] = from[i]: back to id order.
template <class T>
void scatter_to_places(T const* from, std::int32_t const* place, std::int64_t count, T* to,
                       cudaStream_t stream);

inline constexpr int bounds_blocks = 256;

/// The extremes of `position` per block: partial[bounds_blocks], which the host combines.
void partial_bounds(Vec3<double> const* position, std::int64_t count, Bounds* partial,
                    cudaStream_t stream);

}  // namespace tessera::cuda
