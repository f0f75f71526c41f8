#include "kernels/device/cuda_check.hpp"
#include "kernels/device/launch.hpp"
#include "kernels/device/warp_merge.cuh"
#include "kernels/neighbor/cell_rows.cuh"
#include "kernels/neighbor/neighbor_cuda.hpp"
#include "kernels/neighbor/row_queue.cuh"
#include "kernels/neighbor/search_space.hpp"

// f64 allowed: ::build_kernel<: cvt ld mul sub: a particle's cell follows from its double position

namespace tessera::cuda
{
namespace
{

constexpr int block = 128;
constexpr int warps = block / 32;

/// A candidate relative to the warp's reference point.
template <class Real>
struct alignas(4 * sizeof(Real)) Candidate
{
    Real x, y, z;
    std::int32_t index;
};

template <class Real>
__device__ Real warp_min(Real value)
{
    for (int mask = 16; mask > 0; mask /= 2)
    {
        value = min(value, __shfl_xor_sync(all_lanes, value, mask));
    }
    return value;
}

/// Lanes of a warp whose particles share the cells' y and z and are near each other along x, and
/// the box around them.
template <class Real>
struct Cluster
{
    Vec3<Real> low, high;  ///< relative to the leader
    Vec3<Real> own;        ///< this lane's particle, relative to the leader
    bool member;
    bool fold;  ///< the box is so small that separations must be folded pair by pair
};

template <class Real>
__device__ bool near_cluster(Vec3<Real> d, Cluster<Real> const& cluster, Real radius_sq)
{
    Vec3<Real> const gap{max(max(cluster.low.x - d.x, d.x - cluster.high.x), Real(0)),
                         max(max(cluster.low.y - d.y, d.y - cluster.high.y), Real(0)),
                         max(max(cluster.low.z - d.z, d.z - cluster.high.z), Real(0))};
    return dot(gap, gap) < radius_sq;
}

template <class Real>
__device__ Cluster<Real> make_cluster(Vec3<Real> own, bool member, Vec3<Real> period, Real radius)
{
    Cluster<Real> cluster{{}, {}, own, member, false};
    constexpr Real far = Real(1e30);
    for (int axis = 0; axis < 3; ++axis)
    {
        cluster.low[axis] = warp_min(member ? own[axis] : far);
        cluster.high[axis] = -warp_min(member ? -own[axis] : far);
        Real const extent = max(-cluster.low[axis], cluster.high[axis]);
        cluster.fold = cluster.fold ||
                       (period[axis] > Real(0) && extent + radius > Real(0.499) * period[axis]);
    }
    return cluster;
}

/// The runs of cells along one axis that [low, high] widened by reach touches, each cell once.
__device__ CellRuns runs_around(int low, int high, int reach, int cells, Boundary boundary)
{
    low -= reach;
    high += reach;
    if (boundary == Boundary::open)
    {
        return {{max(low, 0), 0}, {min(high, cells - 1), -1}};
    }
    if (high - low + 1 >= cells)
    {
        return {{0, 0}, {cells - 1, -1}};
    }
    if (low < 0)
    {
        return {{0, low + cells}, {high, cells - 1}};
    }
    if (high >= cells)
    {
        return {{low, 0}, {cells - 1, high - cells}};
    }
    return {{low, 0}, {high, -1}};
}

constexpr int most_batches = 20;  // of 32 candidates, between two walks over the hits

/// Shared memory of one warp's search.
template <class Real>
struct SearchScratch
{
    Candidate<Real> staged[64];
    std::int32_t index[most_batches][32];
    unsigned hits[most_batches][32];  ///< [batch][lane] one bit a candidate
    RowQueue::Entries row;
};

/// The search of one warp: candidates are staged in shared memory 32 at a time, every lane tests
/// all of them (or its share, with several lanes a particle) and keeps one bit a hit. Rows are
/// written in one walk over many batches: lanes have their hits at different times, and waiting for
/// each other after every batch doubled the instructions.
template <class P, CellLayout layout>
class WarpSearch
{
public:
    using Real = typename P::Real;

    __device__ WarpSearch(CellSearch<P> const& search, RowListView const& list,
                          SearchScratch<Real>& sm_scratch, std::int32_t particle,
                          std::int64_t slice)
        : search_(search),
          scratch_(sm_scratch),
          row_(list, slice, sm_scratch.row, particle),
          particle_(particle),
          lanes_(list.lanes),
          radius_sq_(static_cast<Real>(search.radius * search.radius))
    {
    }

    __device__ void run(P const& leader, Vec3<std::int32_t> cell, int lowest_x, int highest_x,
                        Cluster<Real> const& cluster)
    {
        CellGrid const& grid = search_.grid;
        CellRuns const xs =
            runs_around(lowest_x, highest_x, grid.reach.x, grid.cells.x, grid.boundary.x);
        CellRuns const ys =
            runs_around(cell.y, cell.y, grid.reach.y, grid.cells.y, grid.boundary.y);
        CellRuns const zs =
            runs_around(cell.z, cell.z, grid.reach.z, grid.cells.z, grid.boundary.z);
        int const rows = length(ys) * length(zs);
        // One loop and one call of scan(), so that its code is there once.
        for (int n = 0; n <= 2 * rows; ++n)
        {
            bool const last = n == 2 * rows;
            int const y = at(ys, n / 2 % length(ys));
            int const z = at(zs, n / 2 / length(ys));
            ParticleRun run{0, 0};
            // Not by an index that varies, which would put the runs into local memory.
            int const first_x = n % 2 == 0 ? xs.first[0] : xs.first[1];
            int const last_x = n % 2 == 0 ? xs.last[0] : xs.last[1];
            if (!last && last_x >= first_x)
            {
                run = particles_of_row<layout>(search_.cells, search_.positions.count, grid,
                                               {first_x, y, z}, last_x);
            }
            scan(leader, cluster, run.begin, run.end, last);
        }
    }

    __device__ void finish(RowListView const& list, std::int64_t slice, StepGate const& gate)
    {
        row_.finish(list, slice, gate);
    }

private:
    static __device__ int length(CellRuns const& runs)
    {
        return runs.last[0] - runs.first[0] + 1 + max(runs.last[1] - runs.first[1] + 1, 0);
    }
    static __device__ int at(CellRuns const& runs, int n)
    {
        int const in_first = runs.last[0] - runs.first[0] + 1;
        return n < in_first ? runs.first[0] + n : runs.first[1] + n - in_first;
    }

    /// Stages the particles from begin to end; tests whenever there are 32, or what is left if this
    /// is the cluster's last call.
    __device__ void scan(P const& leader, Cluster<Real> const& cluster, std::int32_t begin,
                         std::int32_t end, bool last)
    {
        unsigned const lane = threadIdx.x % 32;
        for (std::int32_t base = begin; base < end || last; base += 32)
        {
            std::int32_t const index = base + static_cast<std::int32_t>(lane);
            bool keep = false;
            Vec3<Real> d{};
            if (index < end)
            {
                d = displacement(search_.positions.position[index], leader,
                                 search_.positions.scale);
                keep = cluster.fold || near_cluster(d, cluster, radius_sq_);
            }
            unsigned const kept = __ballot_sync(all_lanes, keep);
            if (keep)
            {
                scratch_.staged[count_ + __popc(kept & ((1U << lane) - 1U))] = {d.x, d.y, d.z,
                                                                                index};
            }
            count_ += __popc(kept);
            __syncwarp();
            if (count_ >= 32 || last)
            {
                test(cluster, count_, last);
                Candidate<Real> const moved = scratch_.staged[32 + lane];
                __syncwarp();
                scratch_.staged[lane] = moved;
                count_ = max(count_ - 32, 0);
                __syncwarp();
            }
            if (last)
            {
                break;
            }
        }
    }

    template <class Fold>
    __device__ bool hit(Cluster<Real> const& cluster, int k, Fold const& fold) const
    {
        Candidate<Real> const candidate = scratch_.staged[k];
        Vec3<Real> const d{fold(candidate.x - cluster.own.x, search_.period.x),
                           fold(candidate.y - cluster.own.y, search_.period.y),
                           fold(candidate.z - cluster.own.z, search_.period.z)};
        return dot(d, d) < radius_sq_;
    }

    /// One bit a staged candidate; bits past the last mean nothing.
    __device__ unsigned hits(Cluster<Real> const& cluster) const
    {
        unsigned mask = 0;
        if (lanes_ == 1 && !cluster.fold)
        {
#pragma unroll
            for (int k = 0; k < 32; ++k)
            {
                mask |= hit(cluster, k, [](Real d, Real) { return d; }) ? 1U << k : 0U;
            }
            return mask;
        }
        auto const folded = [&](Real d, Real period) {
            return cluster.fold && period > Real(0) ? minimum_image(d, period, Real(1) / period)
                                                    : d;
        };
#pragma unroll 2
        for (int k = threadIdx.x % lanes_; k < 32; k += lanes_)
        {
            mask |= (hit(cluster, k, folded) ? 1U : 0U) << k;
        }
        return mask;
    }

    __device__ void test(Cluster<Real> const& cluster, int count, bool last)
    {
        unsigned mask = hits(cluster);
        mask &= count < 32 ? (1U << count) - 1U : ~0U;
        int const lane = threadIdx.x % 32;
        scratch_.hits[batches_][lane] = cluster.member ? mask : 0U;
        scratch_.index[batches_][lane] = scratch_.staged[lane].index;
        batches_ += 1;
        __syncwarp();
        if (batches_ == most_batches || last)
        {
            walk();
        }
    }

    /// Appends the hits of all batches to the row: four at a time, each lane in a batch of its own,
    /// so that lanes with few hits here go on to the next.
    __device__ void walk()
    {
        int const lane = threadIdx.x % 32;
        int batch = 0;
        unsigned mask = batches_ > 0 ? scratch_.hits[0][lane] : 0U;
        while (__any_sync(all_lanes, batch < batches_))
        {
#pragma unroll
            for (int k = 0; k < slot_group; ++k)
            {
                // The highest hit takes one instruction to find; without one any entry will do.
                bool const has = mask != 0;
                unsigned const bit = 31U - static_cast<unsigned>(__clz(static_cast<int>(mask)));
                std::int32_t const neighbor = scratch_.index[batch % most_batches][bit % 32];
                mask &= ~(1U << (bit % 32));
                row_.push(neighbor, has && neighbor != particle_);
            }
            row_.store_four();
            if (mask == 0 && batch < batches_)
            {
                batch += 1;
                mask = batch < batches_ ? scratch_.hits[batch][lane] : 0U;
            }
        }
        batches_ = 0;
        __syncwarp();
    }

    CellSearch<P> const& search_;
    SearchScratch<Real>& scratch_;
    RowQueue row_;
    std::int32_t particle_;
    int lanes_;
    Real radius_sq_;
    int count_ = 0;
    int batches_ = 0;
};

template <class P, CellLayout layout>
__global__ void __launch_bounds__(block, 7)
    build_kernel(__grid_constant__ CellSearch<P> const search,
                 __grid_constant__ RowListView const list, StepGate gate)
{
    using Real = typename P::Real;
    __shared__ SearchScratch<Real> sm_scratch[warps];
    std::int64_t const slice = blockIdx.x * static_cast<std::int64_t>(warps) + threadIdx.x / 32;
    if (slice >= list.slices())
    {
        return;
    }
    std::int64_t const wanted = (slice * 32 + threadIdx.x % 32) / list.lanes;
    bool const active = wanted < list.particle_count;
    auto const particle = static_cast<std::int32_t>(active ? wanted : list.particle_count - 1);
    P const own = search.positions.position[particle];
    Vec3<std::int32_t> const cell = cell_of(search.reference[particle], search.grid);

    WarpSearch<P, layout> warp_search(search, list, sm_scratch[threadIdx.x / 32], particle, slice);
    unsigned remaining = __ballot_sync(all_lanes, active);
    while (remaining != 0)
    {
        int const leader_lane = __ffs(static_cast<int>(remaining)) - 1;
        P const leader = shuffle(own, leader_lane);
        Vec3<std::int32_t> const leader_cell = shuffle(cell, leader_lane);
        // Further along x displacements from the leader would meet the wrong copy.
        bool const near_leader = cell.y == leader_cell.y && cell.z == leader_cell.z &&
                                 abs(cell.x - leader_cell.x) <= cluster_cells;
        bool const member = near_leader && (remaining >> (threadIdx.x % 32) & 1U) != 0;
        remaining &= ~__ballot_sync(all_lanes, member);
        int const lowest = __reduce_min_sync(all_lanes, member ? cell.x : 0x7FFFFFFF);
        int const highest = __reduce_max_sync(all_lanes, member ? cell.x : -1);
        Cluster<Real> const cluster =
            make_cluster(displacement(own, leader, search.positions.scale), member, search.period,
                         static_cast<Real>(search.radius));
        warp_search.run(leader, leader_cell, lowest, highest, cluster);
    }
    warp_search.finish(list, slice, gate);
}

}  // namespace

template <class P>
void build_list(CellSearch<P> const& search, RowListView const& list, StepGate const& gate,
                cudaStream_t stream)
{
    auto const kernel = search.grid.layout == CellLayout::dense
                            ? build_kernel<P, CellLayout::dense>
                            : build_kernel<P, CellLayout::sparse>;
    kernel<<<blocks_for(list.slices() * 32, block), block, 0, stream>>>(search, list, gate);
    cuda_check(cudaGetLastError(), "launch of the list build");
}

#define TESSERA_INSTANTIATE(P)                                                             \
    template void build_list<P>(CellSearch<P> const&, RowListView const&, StepGate const&, \
                                cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
