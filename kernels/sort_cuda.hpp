#pragma once
/// Putting particles in order of (cell, rank) on the device: neighbors in space become neighbors in
/// memory, and the order depends on positions alone.
/// All launchers queue on `stream` and throw CudaError if something fails.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cells.hpp"
#include "kernels/integrate.hpp"

namespace tessera::cuda
{

/// A grid for the device's search: cells of about a third of `radius` along x, which is contiguous
/// in memory, and of `radius` along y and z, so that 32 particles in a row are a compact cluster.
CellGrid make_device_grid(Box const& box, Bounds const& bounds, double radius,
                          std::int64_t particle_count);

/// Scratch of a sort, borrowed. Arrays are [particle].
struct SortScratch
{
    std::uint32_t* key;         ///< [rank] cell
    std::uint32_t* sorted_key;  ///< cells, ascending
    std::int32_t* index;        ///< [rank] old index
    std::int32_t* order;        ///< out: order[new index] = old index
    std::byte* temporary;
    std::size_t temporary_bytes;
};

/// Bytes of SortScratch::temporary for `count` particles.
std::size_t sort_temporary_bytes(std::int64_t count);

/// order and start: particles of cell c are [start[c], start[c + 1]) of the new order.
/// `reference` [particle] decides the cells; `start` holds cell_count + 1.
void sort_by_cell(Vec3<double> const* reference, std::int32_t const* rank, std::int64_t count,
                  CellGrid const& grid, SortScratch const& scratch, std::int32_t* start,
                  cudaStream_t stream);

/// One copy of the arrays that move when particles are sorted, all [particle].
struct ParticleArrays
{
    Vec3<double>* position;
    Vec3<double>* velocity;
    Vec3<double>* reference;
    Vec3<std::int32_t>* image;
    std::int32_t* species;
    std::int32_t* rank;
};

/// to[i] = from[order[i]].
void permute(ParticleArrays const& from, std::int32_t const* order, std::int64_t count,
             ParticleArrays const& to, cudaStream_t stream);

/// to[rank[i]] = from[i]: back to id order.
template <class T>
void scatter_by_rank(T const* from, std::int32_t const* rank, std::int64_t count, T* to,
                     cudaStream_t stream);

inline constexpr int bounds_blocks = 256;

/// The extremes of `position` per block: partial[bounds_blocks], which the host combines.
void partial_bounds(Vec3<double> const* position, std::int64_t count, Bounds* partial,
                    cudaStream_t stream);

}  // namespace tessera::cuda
