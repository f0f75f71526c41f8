#include "engine/cuda_lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/cpu_lists.hpp"
#include "kernels/integrate_cuda.hpp"
#include "kernels/reorder_cuda.hpp"

namespace tessera
{
namespace
{

std::int32_t round_to_group(double slots)
{
    return static_cast<std::int32_t>(std::ceil(slots / slot_group)) * slot_group;
}

}  // namespace

std::int32_t first_row_capacity(double expected, int lanes)
{
    // Rows that share a particle vary more: the square root of what they hold.
    double const share = expected / lanes;
    return round_to_group(std::min(1.35 * share + 3.0 * std::sqrt(share) + 4.0, 4096.0));
}

template <class P>
CudaLists<P>::CudaLists(Config const& config, cudaStream_t stream, CudaStageClock& clock)
    : stream_(stream),
      clock_(clock),
      list_radius_(max_cutoff(config) + config.neighbor.skin),
      skin_(config.neighbor.skin),
      cutoff_(max_cutoff(config)),
      rebuild_(config.neighbor.rebuild),
      asked_lanes_(config.force.lanes)
{
}

template <class P>
Search CudaLists<P>::search_for(std::int64_t particle_count, Box const& box)
{
    // Open axes need the particles' extremes on the host at each build.
    bool const periodic = box.periodic(0) && box.periodic(1) && box.periodic(2);
    return periodic && particle_count <= 8192 ? Search::brute : Search::cells;
}

template <class P>
int CudaLists<P>::lanes_for(ForcePath path, std::int64_t particle_count, std::optional<int> asked)
{
    if (path == ForcePath::shoc)
    {
        return 1;
    }
    if (asked)
    {
        return *asked;
    }
    // The fastest whole steps at six sizes; the next best was 5 to 17 % slower (NVIDIA H200, 2026).
    return particle_count <= 8192    ? 16
           : particle_count <= 24576 ? 4
           : particle_count <= 98304 ? 2
                                     : 1;
}

template <class P>
void CudaLists<P>::allocate_rows(Rows& rows)
{
    auto const slices = static_cast<std::size_t>(slice_count(count_, lanes_));
    rows.neighbor = {};
    rows.neighbor = DeviceBuffer<std::int32_t>(
        slices * slice_rows * static_cast<std::size_t>(rows.capacity), stream_);
    rows.slots = DeviceBuffer<std::int32_t>(slices, stream_);
}

template <class P>
void CudaLists<P>::prepare(CudaParticles const& particles, ForcePath path, Compact compact)
{
    path_ = path;
    count_ = particles.count();
    search_ = search_for(count_, particles.box());
    lanes_ = lanes_for(path, count_, asked_lanes_);
    prunes_ = path == ForcePath::gather && rebuild_ == Rebuild::every_step && skin_ > 0.0;
    encoded_ = DeviceBuffer<P>(static_cast<std::size_t>(count_), stream_);
    // Half the bytes of a gather pay once the L1, and not latency, is the limit. A search that
    // tries every pair reads the encoded positions at each step, so they must be the ones that
    // move.
    Box const& box = particles.box();
    bool const periodic = box.periodic(0) && box.periodic(1) && box.periodic(2);
    bool const pays =
        compact == Compact::if_faster && periodic && lanes_ == 1 && search_ == Search::cells;
    compact_ = DeviceBuffer<CompactPosition>(pays ? static_cast<std::size_t>(count_) : 0, stream_);
    compact_space_ = tessera::compact_space(box, list_radius_ + skin_);
    double const density = static_cast<double>(count_) / particles.box().volume();
    auto const expected = [&](double radius) {
        return std::min(expected_neighbors(density, radius), static_cast<double>(count_));
    };
    outer_.capacity = first_row_capacity(expected(list_radius_), lanes_);
    allocate_rows(outer_);
    pruned_ = {};
    if (prunes_)
    {
        pruned_.capacity = first_row_capacity(expected(cutoff_), lanes_);
        allocate_rows(pruned_);
    }
    column_neighbor_ = {};
    if (path == ForcePath::shoc)
    {
        column_capacity_ = outer_.capacity;
        column_neighbor_ = DeviceBuffer<std::int32_t>(
            static_cast<std::size_t>(count_) * static_cast<std::size_t>(column_capacity_), stream_);
        column_slots_ = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(count_), stream_);
    }
}

template <class P>
double CudaLists<P>::search_radius() const
{
    // The search computes in Real, relative to a nearby particle; a list may hold a little more
    // than it must. Encoded box coordinates add their own rounding.
    double const extent = std::max({space_.extent.x, space_.extent.y, space_.extent.z});
    double const rounding = std::is_same_v<P, FloatPosition>   ? extent * 0x1p-21
                            : std::is_same_v<P, FixedPosition> ? extent * 0x1p-31
                                                               : 0.0;
    return list_radius_ * (1.0 + 1e-5) + rounding;
}

template <class P>
Vec3<typename P::Real> CudaLists<P>::period() const
{
    return {static_cast<Real>(space_.period.x), static_cast<Real>(space_.period.y),
            static_cast<Real>(space_.period.z)};
}

template <class P>
void CudaLists<P>::encode(CudaParticles const& particles, Vec3<double> const* position)
{
    cuda::launch_encode(position, particles.view(), space_, encoded_.data(), stream_);
}

template <class P>
void CudaLists<P>::build(CudaParticles& particles, ListPositions at, cuda::StepGate const& gate)
{
    Bounds const bounds = particles.find_bounds(at);
    // Until the next build a particle moves at most about half a skin from where it is now.
    space_ = make_pair_space(particles.box(), bounds, 1.0 + skin_);
    ++builds_;
    if (search_ == Search::brute)
    {
        cuda::ParticleArrays const now = particles.arrays();
        bool const present = at == ListPositions::present;
        encode(particles, present ? now.position : now.reference);
        cuda::launch_build_list_brute<P>(
            {positions(), search_radius(), present ? now.position : nullptr, now.reference,
             cuda::BuildWhen::always},
            outer(), gate, stream_);
        --builds_;  // the device counts its own
    }
    else
    {
        CellGrid grid;
        {
            CudaStageClock::Interval const sorting(clock_, CudaStage::sort);
            grid = particles.sort(bounds, search_radius(), at);
            encode(particles, particles.arrays().reference);
        }
        CudaStageClock::Interval const searching(clock_, CudaStage::neighbor);
        cuda::launch_build_list<P>({positions(), particles.arrays().reference, grid,
                                    particles.cell_table(), period(), search_radius()},
                                   outer(), gate, stream_);
    }
    if (path_ == ForcePath::shoc && rebuild_ == Rebuild::on_displacement)
    {
        auto const radius = static_cast<Real>(search_radius());
        cuda::launch_prune_to_columns<P>(positions(), outer(), {radius * radius, nullptr, 1},
                                         columns(), gate, stream_);
    }
    if (compacts())
    {
        cuda::launch_encode(particles.arrays().position, particles.view(), compact_space_,
                            compact_.data(), stream_);
    }
    if (at == ListPositions::kept)
    {
        encode(particles, particles.arrays().position);
    }
}

template <class P>
void CudaLists<P>::build_if_moved(CudaParticles const& particles, cuda::StepGate const& gate)
{
    cuda::ParticleArrays const now = particles.arrays();
    cuda::launch_build_list_brute<P>(
        {positions(), search_radius(), now.position, now.reference, cuda::BuildWhen::moved},
        outer(), gate, stream_);
    if (path_ == ForcePath::shoc && rebuild_ == Rebuild::on_displacement)
    {
        auto const radius = static_cast<Real>(search_radius());
        cuda::StepGate open_unless_closed = gate;
        open_unless_closed.limit = cuda::gate_infinity;
        cuda::launch_prune_to_columns<P>(positions(), outer(), {radius * radius, nullptr, 1},
                                         columns(), open_unless_closed, stream_);
    }
}

template <class P>
void CudaLists<P>::prune(CudaTables<Real> const& tables, cuda::StepGate const& gate)
{
    if (path_ == ForcePath::shoc && rebuild_ == Rebuild::every_step)
    {
        cuda::launch_prune_to_columns<P>(positions(), outer(), tables.cutoff_ranges(), columns(),
                                         gate, stream_);
    }
    else if (prunes_)
    {
        cuda::launch_prune<P>(positions(), outer(), tables.cutoff_ranges(), view(pruned_), gate,
                              stream_);
    }
}

template <class P>
bool CudaLists<P>::grow_list(cuda::StepFaults const& faults)
{
    if (static_cast<std::int64_t>(faults.list_slots) <= outer_.capacity)
    {
        return false;
    }
    outer_.capacity = round_to_group(1.125 * static_cast<double>(faults.list_slots));
    allocate_rows(outer_);
    return true;
}

template <class P>
bool CudaLists<P>::grow_pruned(cuda::StepFaults const& faults)
{
    auto const needed = static_cast<std::int64_t>(faults.chunk_slots);
    if (prunes_ && needed > pruned_.capacity)
    {
        pruned_.capacity = round_to_group(1.125 * static_cast<double>(needed));
        allocate_rows(pruned_);
        return true;
    }
    if (path_ == ForcePath::shoc && needed > column_capacity_)
    {
        column_capacity_ = round_to_group(1.125 * static_cast<double>(needed));
        column_neighbor_ = {};
        column_neighbor_ = DeviceBuffer<std::int32_t>(
            static_cast<std::size_t>(count_) * static_cast<std::size_t>(column_capacity_), stream_);
        return true;
    }
    return false;
}

template <class P>
cuda::ColumnListView CudaLists<P>::columns() const
{
    return {column_neighbor_.data(), column_slots_.data(), count_, column_capacity_};
}

template <class P>
void CudaLists<P>::append_bytes(std::vector<std::pair<std::string, std::int64_t>>& bytes) const
{
    auto const add = [&](char const* name, std::size_t size) {
        if (size > 0)
        {
            bytes.emplace_back(name, static_cast<std::int64_t>(size));
        }
    };
    add("encoded positions", encoded_.bytes() + compact_.bytes());
    add("neighbor list", outer_.neighbor.bytes() + outer_.slots.bytes());
    add("exact list", pruned_.neighbor.bytes() + pruned_.slots.bytes());
    add("column list", column_neighbor_.bytes() + column_slots_.bytes());
}

template class CudaLists<FixedPosition>;
template class CudaLists<FloatPosition>;
template class CudaLists<DoublePosition>;

}  // namespace tessera
