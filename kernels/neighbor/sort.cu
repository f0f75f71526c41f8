#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <utility>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/launch.hpp"
#include "kernels/neighbor/sort_cuda.hpp"

// f64 allowed: ::bounds_kernel: *: reads the double state
// f64 allowed: ::key_kernel: *: reads the double state
// f64 allowed: ::axis_key_kernel: *: reads the double state
// f64 allowed: ::cell_table_kernel: *: reads the double state
// f64 allowed: ::permute_kernel: *: moves the double state

namespace tessera::cuda
{
namespace
{

constexpr int block = 256;

__device__ std::int64_t thread_index()
{
    return blockIdx.x * static_cast<std::int64_t>(block) + threadIdx.x;
}

int bits_of(std::int64_t values)
{
    return static_cast<int>(
        std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(values - 1, 1))));
}

/// Keys are laid in id order, so that a stable sort by cell alone orders by (cell, id).
__global__ void key_kernel(Vec3<double> const* reference, std::int32_t const* place,
                           std::int64_t count, CellGrid grid, SortScratch scratch)
{
    std::int64_t const particle = thread_index();
    if (particle < count)
    {
        std::int32_t const at = place[particle];
        scratch.key[at] =
            static_cast<std::uint32_t>(cell_index(cell_of(reference[particle], grid), grid));
        scratch.index[at] = static_cast<std::int32_t>(particle);
    }
}

__global__ void id_order_kernel(std::int32_t const* place, std::int64_t count, std::int32_t* index)
{
    std::int64_t const particle = thread_index();
    if (particle < count)
    {
        index[place[particle]] = static_cast<std::int32_t>(particle);
    }
}

__global__ void axis_key_kernel(Vec3<double> const* reference, std::int32_t const* order,
                                std::int64_t count, CellGrid grid, int axis, std::uint32_t* key)
{
    std::int64_t const place = thread_index();
    if (place < count)
    {
        key[place] = static_cast<std::uint32_t>(cell_of(reference[order[place]], grid)[axis]);
    }
}

__global__ void cell_table_kernel(Vec3<double> const* reference, std::int32_t const* order,
                                  std::int64_t count, CellGrid grid, std::int32_t* table)
{
    std::int64_t const place = thread_index();
    if (place < count)
    {
        Vec3<std::int32_t> const cell = cell_of(reference[order[place]], grid);
        table[3 * place] = cell.x;
        table[3 * place + 1] = cell.y;
        table[3 * place + 2] = cell.z;
    }
}

__global__ void __launch_bounds__(block)
    shared_cells_kernel(std::int32_t const* table, std::int64_t cells, unsigned long long* shared)
{
    __shared__ unsigned long long sm_shared[block / 32];
    unsigned long long mine = 0;
    for (std::int64_t cell = thread_index(); cell < cells;
         cell += static_cast<std::int64_t>(block) * gridDim.x)
    {
        auto const in_cell = static_cast<unsigned long long>(table[cell + 1] - table[cell]);
        mine += in_cell * in_cell;
    }
    for (int half = 16; half > 0; half /= 2)
    {
        mine += __shfl_xor_sync(all_lanes, mine, half);
    }
    if (threadIdx.x % 32 == 0)
    {
        sm_shared[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x == 0)
    {
        for (int warp = 1; warp < block / 32; ++warp)
        {
            mine += sm_shared[warp];
        }
        atomicAdd(shared, mine);
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

struct Move
{
    std::int32_t from;
    std::int64_t to;

    template <class T>
    TESSERA_HD void operator()(T const* before, T* after) const
    {
        after[to] = before[from];
    }
};

__global__ void permute_kernel(ParticleArrays from, std::int32_t const* order, std::int64_t count,
                               ParticleArrays to)
{
    std::int64_t const particle = thread_index();
    if (particle < count)
    {
        ParticleArrays::walk(Move{order[particle], particle}, from, to);
    }
}

template <class T>
__global__ void scatter_kernel(T const* from, std::int32_t const* place, std::int64_t count, T* to)
{
    std::int64_t const particle = thread_index();
    if (particle < count)
    {
        to[place[particle]] = from[particle];
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

namespace
{

/// scratch.sorted_key and `order` from scratch.key and `index`, by the lowest `bits`.
void sort_pairs(SortScratch const& scratch, std::int32_t const* index, std::int32_t* order,
                std::int64_t count, int bits, cudaStream_t stream)
{
    std::size_t bytes = scratch.temporary_bytes;
    cuda_check(cub::DeviceRadixSort::SortPairs(
                   scratch.temporary, bytes, static_cast<std::uint32_t const*>(scratch.key),
                   scratch.sorted_key, index, order, count, 0, bits, stream),
               "sort particles by cell");
}

/// By x, then stably by y, then by z: together by whole cell coordinates, which have too many bits
/// for one key.
void sort_by_sparse_cell(Vec3<double> const* reference, std::int32_t const* place,
                         std::int64_t count, CellGrid const& grid, SortScratch const& scratch,
                         std::int32_t* table, cudaStream_t stream)
{
    std::int32_t* before = scratch.index;
    std::int32_t* after = scratch.order;
    id_order_kernel<<<blocks_for(count, block), block, 0, stream>>>(place, count, before);
    for (int axis = 0; axis < 3; ++axis)
    {
        axis_key_kernel<<<blocks_for(count, block), block, 0, stream>>>(reference, before, count,
                                                                        grid, axis, scratch.key);
        cuda_check(cudaGetLastError(), "launch of sort keys");
        sort_pairs(scratch, before, after, count, bits_of(grid.cells[axis]), stream);
        std::swap(before, after);
    }
    // Three sorts end in scratch.order.
    cell_table_kernel<<<blocks_for(count, block), block, 0, stream>>>(reference, scratch.order,
                                                                      count, grid, table);
    cuda_check(cudaGetLastError(), "launch of cell coordinates");
}

}  // namespace

void sort_by_cell(Vec3<double> const* reference, std::int32_t const* place, std::int64_t count,
                  CellGrid const& grid, SortScratch const& scratch, std::int32_t* table,
                  cudaStream_t stream)
{
    if (grid.layout == CellLayout::sparse)
    {
        sort_by_sparse_cell(reference, place, count, grid, scratch, table, stream);
        return;
    }
    std::int64_t const cells = grid.cell_count();
    key_kernel<<<blocks_for(count, block), block, 0, stream>>>(reference, place, count, grid,
                                                               scratch);
    cuda_check(cudaGetLastError(), "launch of sort keys");
    sort_pairs(scratch, scratch.index, scratch.order, count, bits_of(cells), stream);
    start_kernel<<<blocks_for(cells + 1, block), block, 0, stream>>>(scratch.sorted_key, count,
                                                                     cells, table);
    cuda_check(cudaGetLastError(), "launch of cell starts");
}

void sum_shared_cells(std::int32_t const* table, std::int64_t cells, unsigned long long* shared,
                      cudaStream_t stream)
{
    cuda_check(cudaMemsetAsync(shared, 0, sizeof(*shared), stream), "clear a sum");
    auto const blocks = std::min(blocks_for(cells, block), 1024U);
    shared_cells_kernel<<<blocks, block, 0, stream>>>(table, cells, shared);
    cuda_check(cudaGetLastError(), "launch of the sum of shared cells");
}

void permute(ParticleArrays const& from, std::int32_t const* order, std::int64_t count,
             ParticleArrays const& to, cudaStream_t stream)
{
    permute_kernel<<<blocks_for(count, block), block, 0, stream>>>(from, order, count, to);
    cuda_check(cudaGetLastError(), "launch of permute");
}

template <class T>
void scatter_to_places(T const* from, std::int32_t const* place, std::int64_t count, T* to,
                       cudaStream_t stream)
{
    scatter_kernel<<<blocks_for(count, block), block, 0, stream>>>(from, place, count, to);
    cuda_check(cudaGetLastError(), "launch of scatter");
}

template void scatter_to_places<Vec3<double>>(Vec3<double> const*, std::int32_t const*,
                                              std::int64_t, Vec3<double>*, cudaStream_t);
template void scatter_to_places<std::int64_t>(std::int64_t const*, std::int32_t const*,
                                              std::int64_t, std::int64_t*, cudaStream_t);
template void scatter_to_places<std::int32_t>(std::int32_t const*, std::int32_t const*,
                                              std::int64_t, std::int32_t*, cudaStream_t);
template void scatter_to_places<Vec3<std::int32_t>>(Vec3<std::int32_t> const*, std::int32_t const*,
                                                    std::int64_t, Vec3<std::int32_t>*,
                                                    cudaStream_t);

void partial_bounds(Vec3<double> const* position, std::int64_t count, Bounds* partial,
                    cudaStream_t stream)
{
    bounds_kernel<<<bounds_blocks, block, 0, stream>>>(position, count, partial);
    cuda_check(cudaGetLastError(), "launch of bounds");
}

}  // namespace tessera::cuda
