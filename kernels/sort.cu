#include <algorithm>
#include <bit>
#include <cmath>
#include <cub/device/device_radix_sort.cuh>

#include "kernels/cuda_check.hpp"
#include "kernels/sort_cuda.hpp"

// f64 allowed: ::bounds_kernel: *: reads the double state
// f64 allowed: ::key_kernel: *: reads the double state
// f64 allowed: ::permute_kernel: *: moves the double state

namespace tessera::cuda
{
namespace
{

constexpr int block = 256;

unsigned blocks_for(std::int64_t count)
{
    return static_cast<unsigned>((count + block - 1) / block);
}

__device__ std::int64_t thread_index()
{
    return blockIdx.x * static_cast<std::int64_t>(block) + threadIdx.x;
}

int bits_of(std::int64_t values)
{
    return static_cast<int>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(values - 1, 1))));
}

/// Keys are laid in rank order, so that a stable sort by cell alone orders by (cell, rank).
__global__ void key_kernel(Vec3<double> const* reference, std::int32_t const* rank,
                           std::int64_t count, CellGrid grid, SortScratch scratch)
{
    std::int64_t const particle = thread_index();
    if (particle < count)
    {
        std::int32_t const place = rank[particle];
        scratch.key[place] =
            static_cast<std::uint32_t>(cell_index(cell_of(reference[particle], grid), grid));
        scratch.index[place] = static_cast<std::int32_t>(particle);
    }
}

/// start[c] by bisection of the sorted keys: no write depends on how long a run of empty cells is.
__global__ void start_kernel(std::uint32_t const* sorted_key, std::int64_t count,
                             std::int64_t cells, std::int32_t* start)
{
    std::int64_t const cell = thread_index();
    if (cell > cells)
    {
        return;
    }
    std::int64_t low = 0;
    std::int64_t high = count;
    while (low < high)
    {
        std::int64_t const middle = (low + high) / 2;
        if (sorted_key[middle] < cell)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    start[cell] = static_cast<std::int32_t>(low);
}

__global__ void permute_kernel(ParticleArrays from, std::int32_t const* order, std::int64_t count,
                               ParticleArrays to)
{
    std::int64_t const particle = thread_index();
    if (particle < count)
    {
        std::int32_t const old = order[particle];
        to.position[particle] = from.position[old];
        to.velocity[particle] = from.velocity[old];
        to.reference[particle] = from.reference[old];
        to.image[particle] = from.image[old];
        to.species[particle] = from.species[old];
        to.rank[particle] = from.rank[old];
    }
}

template <class T>
__global__ void scatter_kernel(T const* from, std::int32_t const* rank, std::int64_t count, T* to)
{
    std::int64_t const particle = thread_index();
    if (particle < count)
    {
        to[rank[particle]] = from[particle];
    }
}

__global__ void __launch_bounds__(block)
    bounds_kernel(Vec3<double> const* position, std::int64_t count, Bounds* partial)
{
    __shared__ Bounds sm_bounds[block];
    Bounds mine{position[0], position[0]};
    for (std::int64_t particle = thread_index(); particle < count;
         particle += static_cast<std::int64_t>(block) * gridDim.x)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            mine.low[axis] = fmin(mine.low[axis], position[particle][axis]);
            mine.high[axis] = fmax(mine.high[axis], position[particle][axis]);
        }
    }
    sm_bounds[threadIdx.x] = mine;
    for (int half = block / 2; half > 0; half /= 2)
    {
        __syncthreads();
        if (threadIdx.x < half)
        {
            Bounds const other = sm_bounds[threadIdx.x + half];
            for (int axis = 0; axis < 3; ++axis)
            {
                mine.low[axis] = fmin(mine.low[axis], other.low[axis]);
                mine.high[axis] = fmax(mine.high[axis], other.high[axis]);
            }
            sm_bounds[threadIdx.x] = mine;
        }
    }
    if (threadIdx.x == 0)
    {
        partial[blockIdx.x] = mine;
    }
}

}  // namespace

CellGrid make_device_grid(Box const& box, Bounds const& bounds, double radius,
                          std::int64_t particle_count)
{
    CellGrid grid;
    grid.boundary = box.boundary;
    grid.origin = bounds.low;
    double const most_cells = 4.0 * static_cast<double>(particle_count) + 64.0;
    for (double scale = 1.0;; scale *= 1.26)
    {
        double product = 1.0;
        for (int axis = 0; axis < 3; ++axis)
        {
            double const edge = scale * (axis == 0 ? radius / 3.0 : radius);
            double const length = bounds.high[axis] - bounds.low[axis];
            double const cells = std::clamp(std::floor(length / edge), 1.0, 1048576.0);
            grid.cells[axis] = static_cast<std::int32_t>(cells);
            grid.inv_edge[axis] = length > 0.0 ? cells / length : 0.0;
            grid.reach[axis] =
                length > 0.0
                    ? static_cast<std::int32_t>(std::min(std::ceil(radius * cells / length), cells))
                    : 0;
            product *= cells;
        }
        if (product <= most_cells)
        {
            return grid;
        }
    }
}

std::size_t sort_temporary_bytes(std::int64_t count)
{
    std::size_t bytes = 0;
    cuda_check(cub::DeviceRadixSort::SortPairs(
                   nullptr, bytes, static_cast<std::uint32_t const*>(nullptr),
                   static_cast<std::uint32_t*>(nullptr), static_cast<std::int32_t const*>(nullptr),
                   static_cast<std::int32_t*>(nullptr), count),
               "size the scratch of the sort");
    return bytes;
}

void sort_by_cell(Vec3<double> const* reference, std::int32_t const* rank, std::int64_t count,
                  CellGrid const& grid, SortScratch const& scratch, std::int32_t* start,
                  cudaStream_t stream)
{
    std::int64_t const cells = grid.cell_count();
    key_kernel<<<blocks_for(count), block, 0, stream>>>(reference, rank, count, grid, scratch);
    cuda_check(cudaGetLastError(), "launch of sort keys");
    std::size_t bytes = scratch.temporary_bytes;
    cuda_check(cub::DeviceRadixSort::SortPairs(
                   scratch.temporary, bytes, static_cast<std::uint32_t const*>(scratch.key),
                   scratch.sorted_key, static_cast<std::int32_t const*>(scratch.index),
                   scratch.order, count, 0, bits_of(cells), stream),
               "sort particles by cell");
    start_kernel<<<blocks_for(cells + 1), block, 0, stream>>>(scratch.sorted_key, count, cells,
                                                              start);
    cuda_check(cudaGetLastError(), "launch of cell starts");
}

void permute(ParticleArrays const& from, std::int32_t const* order, std::int64_t count,
             ParticleArrays const& to, cudaStream_t stream)
{
    permute_kernel<<<blocks_for(count), block, 0, stream>>>(from, order, count, to);
    cuda_check(cudaGetLastError(), "launch of permute");
}

template <class T>
void scatter_by_rank(T const* from, std::int32_t const* rank, std::int64_t count, T* to,
                     cudaStream_t stream)
{
    scatter_kernel<<<blocks_for(count), block, 0, stream>>>(from, rank, count, to);
    cuda_check(cudaGetLastError(), "launch of scatter");
}

template void scatter_by_rank<Vec3<double>>(Vec3<double> const*, std::int32_t const*, std::int64_t,
                                            Vec3<double>*, cudaStream_t);
template void scatter_by_rank<Vec3<std::int32_t>>(Vec3<std::int32_t> const*, std::int32_t const*,
                                                  std::int64_t, Vec3<std::int32_t>*, cudaStream_t);

void partial_bounds(Vec3<double> const* position, std::int64_t count, Bounds* partial,
                    cudaStream_t stream)
{
    bounds_kernel<<<bounds_blocks, block, 0, stream>>>(position, count, partial);
    cuda_check(cudaGetLastError(), "launch of bounds");
}

}  // namespace tessera::cuda
