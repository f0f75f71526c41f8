#include "kernels/async_copy.cuh"
#include "kernels/chunk_force.cuh"
#include "kernels/shoc.hpp"
#include "kernels/shoc_position.cuh"

namespace tessera::cuda
{
namespace
{

constexpr int pairs_a_block = 4;  // a producer and a consumer warp make a pair
constexpr int tile_block = 2 * pairs_a_block * slice_rows;

/// A tile: the four neighbors of one group of a slice's 32 rows, plane by plane, as in a chunk.
template <class T>
struct Tile
{
    static constexpr int planes_a_slot = sizeof(ShocPosition<T>) / 16;
    uint4 plane[slot_group][planes_a_slot][slice_rows];
};

/// The tiles between one producer and one consumer, used round and round.
template <class T>
struct TileRing
{
    static constexpr int stages = 4;
    Tile<T> tile[stages];
    PhaseBarrier reordered[stages];
    PhaseBarrier consumed[stages];
};

/// Walks a ring: the stage to use next, and the parity of its round.
template <class T>
struct RingPlace
{
    int stage = 0;
    unsigned parity = 0;

    __device__ __forceinline__ void advance()
    {
        if (++stage == TileRing<T>::stages)
        {
            stage = 0;
            parity ^= 1U;
        }
    }
};

template <class T>
__device__ __forceinline__ void copy_position(Tile<T>& tile, int slot, int row,
                                              ShocPosition<T> const* position)
{
#pragma unroll
    for (int part = 0; part < Tile<T>::planes_a_slot; ++part)
    {
        start_copy_16(&tile.plane[slot][part][row],
                      reinterpret_cast<std::byte const*>(position) + part * 16);
    }
}

__device__ __forceinline__ Vec3<float> position_in(Tile<float> const& tile, int slot, int row)
{
    auto const p = *reinterpret_cast<float4 const*>(&tile.plane[slot][0][row]);
    return {p.x, p.y, p.z};
}

__device__ __forceinline__ Vec3<double> position_in(Tile<double> const& tile, int slot, int row)
{
    auto const xy = *reinterpret_cast<double2 const*>(&tile.plane[slot][0][row]);
    return {xy.x, xy.y, *reinterpret_cast<double const*>(&tile.plane[slot][1][row])};
}

/// The slices of a pair: every `stride`-th from `first`.
struct SliceRange
{
    std::int64_t first, stride, end;
};

template <class T, int lanes, TileWork work>
__device__ __forceinline__ void produce(ShocView<T> const& atoms, ShocTiledList const& list,
                                        SliceRange slices, int row, TileRing<T>& ring)
{
    constexpr int groups = shoc_groups(lanes);
    RingPlace<T> place;
    for (std::int64_t slice = slices.first; slice < slices.end; slice += slices.stride)
    {
#pragma unroll 4
        for (int group = 0; group < groups; ++group)
        {
            int4 const index = load_indices(list.index, slice, groups, group, row);
            // A tile may be overwritten once its consumer is through; in the first round all may.
            ring.consumed[place.stage].wait(place.parity ^ 1U);
            Tile<T>& tile = ring.tile[place.stage];
            copy_position(tile, 0, row, atoms.position + index.x);
            copy_position(tile, 1, row, atoms.position + index.y);
            copy_position(tile, 2, row, atoms.position + index.z);
            copy_position(tile, 3, row, atoms.position + index.w);
            ring.reordered[place.stage].arrive_after_copies();
            place.advance();
        }
    }
}

template <class T, int lanes, TileWork work>
__device__ __forceinline__ void consume(ShocView<T> const& atoms, ShocTiledList const& list,
                                        ShocPair<T> const& pair, SliceRange slices, int row,
                                        TileRing<T>& ring, Vec3<T>* force)
{
    constexpr int groups = shoc_groups(lanes);
    RingPlace<T> ring_place;
    for (std::int64_t slice = slices.first; slice < slices.end; slice += slices.stride)
    {
        std::int64_t const place = (slice * slice_rows + row) / lanes;
        bool const real = place < atoms.count;
        int const atom = atom_at(list.order, real ? place : atoms.count - 1);
        Vec3<T> const own = load_position(atoms.position, atom);
        Vec3<T> sum{};
#pragma unroll 4
        for (int group = 0; group < groups; ++group)
        {
            if constexpr (work != TileWork::force_alone)
            {
                ring.reordered[ring_place.stage].wait(ring_place.parity);
            }
            if constexpr (work != TileWork::reorder_alone)
            {
                Tile<T> const& tile = ring.tile[ring_place.stage];
#pragma unroll
                for (int slot = 0; slot < slot_group; ++slot)
                {
                    Vec3<T> const d = own - position_in(tile, slot, row);
                    sum += pair(dot(d, d), 0, 0).force_over_r * d;
                }
            }
            if constexpr (work != TileWork::force_alone)
            {
                ring.consumed[ring_place.stage].arrive();
            }
            ring_place.advance();
        }
        if constexpr (work != TileWork::reorder_alone)
        {
#pragma unroll
            for (int mask = 1; mask < lanes; mask *= 2)
            {
                sum += shuffle_xor(sum, mask);
            }
            if (real && row % lanes == 0)
            {
                force[atom] = sum;
            }
        }
    }
}

template <class T, int lanes, TileWork work>
__global__ void __launch_bounds__(tile_block)
    shoc_tile_kernel(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, Vec3<T>* force)
{
    extern __shared__ __align__(128) std::byte sm_rings[];
    auto* const rings = reinterpret_cast<TileRing<T>*>(sm_rings);
    int const warp = threadIdx.x / slice_rows;
    int const row = threadIdx.x % slice_rows;
    int const pair_in_block = warp / 2;
    TileRing<T>& ring = rings[pair_in_block];
    if (warp % 2 == 0 && row < TileRing<T>::stages)
    {
        ring.reordered[row].init(slice_rows);
        ring.consumed[row].init(slice_rows);
    }
    // Both warps of a pair must see the barriers initialised.
    __syncthreads();
    SliceRange const slices{static_cast<std::int64_t>(blockIdx.x) * pairs_a_block + pair_in_block,
                            static_cast<std::int64_t>(gridDim.x) * pairs_a_block,
                            slice_count(atoms.count, lanes)};
    if (warp % 2 == 0)
    {
        if constexpr (work != TileWork::force_alone)
        {
            produce<T, lanes, work>(atoms, list, slices, row, ring);
        }
    }
    else
    {
        consume<T, lanes, work>(atoms, list, pair, slices, row, ring, force);
    }
}

template <class T, int lanes, TileWork work>
void launch(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, Vec3<T>* force,
            StreamHandle stream)
{
    auto* const kernel = shoc_tile_kernel<T, lanes, work>;
    constexpr int shared = pairs_a_block * sizeof(TileRing<T>);
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
               "raise shared memory of shoc_tile_force");
    int device = 0;
    int processors = 0;
    int blocks_a_processor = 0;
    cuda_check(cudaGetDevice(&device), "read the current device");
    cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
               "read the number of multiprocessors");
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_a_processor, kernel,
                                                             tile_block, shared),
               "read the occupancy of shoc_tile_force");
    std::int64_t const needed =
        (slice_count(atoms.count, lanes) + pairs_a_block - 1) / pairs_a_block;
    std::int64_t const resident = static_cast<std::int64_t>(processors) * blocks_a_processor;
    auto const blocks = static_cast<unsigned>(needed < resident ? needed : resident);
    kernel<<<blocks, tile_block, shared, stream>>>(atoms, list, pair, force);
}

}  // namespace

template <class T>
void shoc_tile_force(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, TileWork work,
                     Vec3<T>* force, StreamHandle stream)
{
    with_lanes<8>(list.lanes, [&]<int lanes>() {
        switch (work)
        {
            case TileWork::both:
                launch<T, lanes, TileWork::both>(atoms, list, pair, force, stream);
                break;
            case TileWork::reorder_alone:
                launch<T, lanes, TileWork::reorder_alone>(atoms, list, pair, force, stream);
                break;
            case TileWork::force_alone:
                launch<T, lanes, TileWork::force_alone>(atoms, list, pair, force, stream);
                break;
        }
    });
    cuda_check(cudaGetLastError(), "launch of shoc_tile_force");
}

template void shoc_tile_force<float>(ShocView<float>, ShocTiledList, ShocPair<float>, TileWork,
                                     Vec3<float>*, StreamHandle);
template void shoc_tile_force<double>(ShocView<double>, ShocTiledList, ShocPair<double>, TileWork,
                                      Vec3<double>*, StreamHandle);

}  // namespace tessera::cuda
