#include "kernels/device/phase_barrier.cuh"
#include "kernels/shoc/chunk_force.cuh"
#include "kernels/shoc/position.cuh"
#include "kernels/shoc/shoc.hpp"

namespace tessera::cuda
{
namespace
{

// Three producers keep one consumer busy: gathers take three times as long as pair terms.
constexpr int producers = 3;
constexpr int team_warps = producers + 1;
constexpr int teams_a_block = 2;
constexpr int tile_block = teams_a_block * team_warps * slice_rows;
// Registers for a gather in flight beside one waiting: 64 of them in float, 80 in double.
template <class T>
constexpr int tile_blocks_a_processor = sizeof(T) == 4 ? 4 : 3;
constexpr int tile_stages = 2;

/// 16 bytes of one coordinate: four slots of a row in float, two in double.
template <class T>
struct PlaneOf;
template <>
struct PlaneOf<float>
{
    using Type = float4;
};
template <>
struct PlaneOf<double>
{
    using Type = double2;
};

/// A tile: the displacements of one group of a slice's 32 rows, coordinate by coordinate.
template <class T>
struct Tile
{
    using Plane = typename PlaneOf<T>::Type;
    static constexpr int parts = slot_group * sizeof(T) / 16;
    Plane plane[3][parts][slice_rows];

    __device__ __forceinline__ void put(int row, Vec3<T> const (&d)[slot_group])
    {
        if constexpr (parts == 1)
        {
            plane[0][0][row] = {d[0].x, d[1].x, d[2].x, d[3].x};
            plane[1][0][row] = {d[0].y, d[1].y, d[2].y, d[3].y};
            plane[2][0][row] = {d[0].z, d[1].z, d[2].z, d[3].z};
        }
        else
        {
#pragma unroll
            for (int part = 0; part < parts; ++part)
            {
                plane[0][part][row] = {d[2 * part].x, d[2 * part + 1].x};
                plane[1][part][row] = {d[2 * part].y, d[2 * part + 1].y};
                plane[2][part][row] = {d[2 * part].z, d[2 * part + 1].z};
            }
        }
    }
    __device__ __forceinline__ void get(int row, Vec3<T> (&d)[slot_group]) const
    {
        if constexpr (parts == 1)
        {
            Plane const x = plane[0][0][row];
            Plane const y = plane[1][0][row];
            Plane const z = plane[2][0][row];
            d[0] = {x.x, y.x, z.x};
            d[1] = {x.y, y.y, z.y};
            d[2] = {x.z, y.z, z.z};
            d[3] = {x.w, y.w, z.w};
        }
        else
        {
#pragma unroll
            for (int part = 0; part < parts; ++part)
            {
                Plane const x = plane[0][part][row];
                Plane const y = plane[1][part][row];
                Plane const z = plane[2][part][row];
                d[2 * part] = {x.x, y.x, z.x};
                d[2 * part + 1] = {x.y, y.y, z.y};
            }
        }
    }
};

/// The tiles between one producer and its consumer, used round and round.
template <class T>
struct TileRing
{
    Tile<T> tile[tile_stages];
    PhaseBarrier reordered[tile_stages];
    PhaseBarrier consumed[tile_stages];
};

/// Walks a ring: the stage to use next, and the parity of its round.
struct RingPlace
{
    int stage = 0;
    unsigned parity = 0;

    __device__ __forceinline__ void advance()
    {
        if (++stage == tile_stages)
        {
            stage = 0;
            parity ^= 1U;
        }
    }
};

/// The slices of a team: `producers` at a time from `first`, then `stride` further.
struct SliceRange
{
    std::int64_t first, stride, end;
};

/// The position of the atom whose row this is; rows past the last atom repeat it.
template <class T, int lanes>
__device__ __forceinline__ Vec3<T> own_position(ShocView<T> const& atoms, ShocTiledList const& list,
                                                std::int64_t slice, int row)
{
    std::int64_t const place = (slice * slice_rows + row) / lanes;
    std::int64_t const last = atoms.count - 1;
    return load_position(atoms.position, atom_at(list.order, place < last ? place : last));
}

template <class T>
__device__ __forceinline__ void gather(ShocView<T> const& atoms, int4 index,
                                       Vec3<T> (&position)[slot_group])
{
    position[0] = load_position(atoms.position, index.x);
    position[1] = load_position(atoms.position, index.y);
    position[2] = load_position(atoms.position, index.z);
    position[3] = load_position(atoms.position, index.w);
}

template <class T, int lanes>
__device__ __forceinline__ void produce(ShocView<T> const& atoms, ShocTiledList const& list,
                                        SliceRange slices, int row, TileRing<T>& ring)
{
    constexpr int groups = shoc_groups(lanes);
    RingPlace place;
    for (std::int64_t slice = slices.first; slice < slices.end; slice += slices.stride)
    {
        int4 index = load_indices(list.index, slice, groups, 0, row);
        Vec3<T> const own = own_position<T, lanes>(atoms, list, slice, row);
        Vec3<T> next[slot_group];
        gather(atoms, index, next);
        index = load_indices(list.index, slice, groups, groups > 1 ? 1 : 0, row);
#pragma unroll 1
        for (int group = 0; group < groups; ++group)
        {
            Vec3<T> const d[slot_group] = {own - next[0], own - next[1], own - next[2],
                                           own - next[3]};
            // The next group's positions, and the indices of the one after, are on their way while
            // this group waits for room.
            if (group + 1 < groups)
            {
                gather(atoms, index, next);
                int const after = group + 2 < groups ? group + 2 : groups - 1;
                index = load_indices(list.index, slice, groups, after, row);
            }
            // In the first round every tile has room: the phase before the first counts as over.
            ring.consumed[place.stage].wait(place.parity ^ 1U);
            ring.tile[place.stage].put(row, d);
            ring.reordered[place.stage].arrive();
            place.advance();
        }
    }
}

/// The pair terms of one tile of each of the team's first `busy` producers, added to their sums.
/// All tiles are awaited before the first is read, so that their terms are worked out side by side.
template <class T, TileWork work>
__device__ __forceinline__ void consume_tiles(TileRing<T>* rings, RingPlace place, int busy,
                                              int row, ShocPair<T> const& pair,
                                              Vec3<T> (&sum)[producers])
{
    if constexpr (work != TileWork::force_alone)
    {
#pragma unroll
        for (int p = 0; p < producers; ++p)
        {
            if (p < busy)
            {
                rings[p].reordered[place.stage].wait(place.parity);
            }
        }
    }
    if constexpr (work != TileWork::reorder_alone)
    {
        // Tiles of producers that are not busy are read too: their sums are dropped.
#pragma unroll
        for (int p = 0; p < producers; ++p)
        {
            Vec3<T> d[slot_group];
            rings[p].tile[place.stage].get(row, d);
#pragma unroll
            for (int slot = 0; slot < slot_group; ++slot)
            {
                Force<ShocPair<T>, T>{pair}.add(sum[p], d[slot], 0, 0);
            }
        }
    }
    if constexpr (work != TileWork::force_alone)
    {
#pragma unroll
        for (int p = 0; p < producers; ++p)
        {
            if (p < busy)
            {
                rings[p].consumed[place.stage].arrive();
            }
        }
    }
}

/// Adds up the lanes of each atom of `busy` slices and stores its force.
template <class T, int lanes>
__device__ __forceinline__ void store_forces(ShocView<T> const& atoms, ShocTiledList const& list,
                                             std::int64_t slice, int busy, int row,
                                             Vec3<T> (&sum)[producers], Vec3<T>* force)
{
#pragma unroll
    for (int p = 0; p < producers; ++p)
    {
        merge_lanes(sum[p], lanes);
        std::int64_t const place = ((slice + p) * slice_rows + row) / lanes;
        if (p < busy && place < atoms.count && row % lanes == 0)
        {
            force[atom_at(list.order, place)] = sum[p];
        }
    }
}

template <class T, int lanes, TileWork work>
__device__ __forceinline__ void consume(ShocView<T> const& atoms, ShocTiledList const& list,
                                        ShocPair<T> const& pair, SliceRange slices, int row,
                                        TileRing<T>* rings, Vec3<T>* force)
{
    constexpr int groups = shoc_groups(lanes);
    RingPlace place;
    for (std::int64_t slice = slices.first; slice < slices.end; slice += slices.stride)
    {
        auto const busy =
            static_cast<int>(slices.end - slice < producers ? slices.end - slice : producers);
        Vec3<T> sum[producers]{};
        for (int group = 0; group < groups; ++group)
        {
            consume_tiles<T, work>(rings, place, busy, row, pair, sum);
            place.advance();
        }
        if constexpr (work != TileWork::reorder_alone)
        {
            store_forces<T, lanes>(atoms, list, slice, busy, row, sum, force);
        }
    }
}

template <class T, int lanes, TileWork work>
__global__ void __launch_bounds__(tile_block, tile_blocks_a_processor<T>)
    shoc_tile_kernel(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, Vec3<T>* force)
{
    extern __shared__ __align__(128) std::byte sm_rings[];
    int const warp = threadIdx.x / slice_rows;
    int const row = threadIdx.x % slice_rows;
    int const team = warp / team_warps;
    int const member = warp % team_warps;
    auto* const rings = reinterpret_cast<TileRing<T>*>(sm_rings) + team * producers;
    if (member < producers && row < tile_stages)
    {
        rings[member].reordered[row].init(slice_rows);
        rings[member].consumed[row].init(slice_rows);
    }
    // Both ends of a ring must see its barriers initialised.
    __syncthreads();
    std::int64_t const first =
        (static_cast<std::int64_t>(blockIdx.x) * teams_a_block + team) * producers;
    SliceRange slices{first, static_cast<std::int64_t>(gridDim.x) * teams_a_block * producers,
                      slice_count(atoms.count, lanes)};
    if (member == producers)
    {
        consume<T, lanes, work>(atoms, list, pair, slices, row, rings, force);
    }
    else if constexpr (work != TileWork::force_alone)
    {
        slices.first += member;
        produce<T, lanes>(atoms, list, slices, row, rings[member]);
    }
}

template <class T, int lanes, TileWork work>
void launch(ShocView<T> atoms, ShocTiledList list, ShocPair<T> pair, Vec3<T>* force,
            StreamHandle stream)
{
    auto* const kernel = shoc_tile_kernel<T, lanes, work>;
    constexpr int shared = teams_a_block * producers * sizeof(TileRing<T>);
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
    constexpr int slices_a_block = teams_a_block * producers;
    std::int64_t const needed =
        (slice_count(atoms.count, lanes) + slices_a_block - 1) / slices_a_block;
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
