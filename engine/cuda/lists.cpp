#include "engine/cuda/lists.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/backend/list_capacity.hpp"
#include "engine/config/precision.hpp"
#include "kernels/motion/integrate_cuda.hpp"
#include "kernels/neighbor/search_space.hpp"
#include "kernels/reorder/reorder_cuda.hpp"

namespace tessera
{
namespace
{

/// Whether positions stored modulo the extents of `space` serve pair arithmetic about as well as
/// they can: they lose no more than float does at a distance of sigma, or two bits beside those of
/// the shortest extents that are possible.
template <class P>
bool resolves(PairSpace const& space, PairSpace const& shortest, double sigma)
{
    bool good = true;
    for (int axis = 0; axis < 3; ++axis)
    {
        good = good && P::resolution(space.extent[axis]) <=
                           std::max(0x1p-24 * sigma, 4.0 * P::resolution(shortest.extent[axis]));
    }
    return good || sizeof(typename P::Real) == 8;
}

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
      smallest_sigma_(smallest_acting_sigma(config)),
      rebuild_(config.neighbor.rebuild),
      asked_lanes_(config.force.lanes)
{
}

template <class P>
Search CudaLists<P>::search_for(std::int64_t particle_count, Box const& box) const
{
    // Open axes need the particles' extremes on the host at each build. Trying every pair needs
    // extents as long as the edges.
    bool const periodic = box.periodic(0) && box.periodic(1) && box.periodic(2);
    bool const pays = periodic && particle_count <= most_for_brute_force;
    return pays && resolves<P>(make_pair_space(box, box.edges), listed_, smallest_sigma_)
               ? Search::brute
               : Search::cells;
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
    listed_ = listed_space(particles.box(), list_radius_, skin_);
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
double CudaLists<P>::padded_radius(double span) const
{
    // A cluster's search takes the difference of two displacements of up to `span`, each converted
    // and multiplied, and may fold it by a rounded period no longer than twice that.
    constexpr double unit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
    double const search = distance_rounding<P>(space_, list_radius_);
    double const use =
        compacts() ? distance_rounding<CompactPosition>(listed_, list_radius_) : search;
    return search_radius(list_radius_, search + std::sqrt(3.0) * 6.0 * unit * span, use);
}

template <class P>
Vec3<typename P::Real> CudaLists<P>::fold_period() const
{
    // Where the extent is shorter than the edge it is long enough for every pair to be met.
    Vec3<Real> period{};
    for (int axis = 0; axis < 3; ++axis)
    {
        bool const whole = space_.extent[axis] == space_.period[axis] || sizeof(Real) == 8;
        period[axis] = static_cast<Real>(whole ? space_.period[axis] : 0.0);
    }
    return period;
}

template <class P>
void CudaLists<P>::encode(CudaParticles const& particles, Vec3<double> const* position)
{
    cuda::launch_encode(position, particles.view(), space_, encoded_.data(), stream_);
}

template <class P>
void CudaLists<P>::build(CudaParticles& particles, ListPositions at, cuda::StepGate const& gate)
{
    ++builds_;
    if (search_ == Search::brute)
    {
        space_ = make_pair_space(particles.box(), particles.box().edges);
        cuda::ParticleArrays const now = particles.arrays();
        bool const present = at == ListPositions::present;
        encode(particles, present ? now.position : now.reference);
        cuda::launch_build_list_brute<P>(
            {positions(), padded_radius(0.0), present ? now.position : nullptr, now.reference,
             cuda::BuildWhen::always},
            outer(), gate, stream_);
        --builds_;  // the device counts its own
    }
    else
    {
        search_cells(particles, at, gate);
    }
    prune_to_columns(gate);
    bool const replaced = !resolves<P>(space_, listed_, smallest_sigma_) && !compacts();
    if (compacts())
    {
        cuda::launch_encode(particles.arrays().position, particles.view(), listed_, compact_.data(),
                            stream_);
    }
    if (replaced)
    {
        space_ = listed_;
    }
    if (at == ListPositions::kept || replaced)
    {
        encode(particles, particles.arrays().position);
    }
}

template <class P>
void CudaLists<P>::search_cells(CudaParticles& particles, ListPositions at,
                                cuda::StepGate const& gate)
{
    CellGrid grid;
    Bounds const bounds = particles.find_bounds(at);
    {
        CudaStageClock::Interval const sorting(clock_, CudaStage::sort);
        grid = particles.sort(bounds, grid_radius(list_radius_), at);
        space_ = cluster_search_space(particles.box(), grid, list_radius_);
        encode(particles, particles.arrays().reference);
    }
    CudaStageClock::Interval const searching(clock_, CudaStage::neighbor);
    cuda::launch_build_list<P>(
        {positions(), particles.arrays().reference, grid, particles.cell_table(), fold_period(),
         padded_radius(cluster_span(grid, list_radius_))},
        outer(), gate, stream_);
}

/// The path shoc without a list of its own at each step reads the outer one, in columns.
template <class P>
void CudaLists<P>::prune_to_columns(cuda::StepGate const& gate)
{
    if (path_ == ForcePath::shoc && rebuild_ == Rebuild::on_displacement)
    {
        auto const radius = static_cast<Real>(padded_radius(0.0));
        cuda::launch_prune_to_columns<P>(positions(), outer(), {radius * radius, nullptr, 1},
                                         columns(), gate, stream_);
    }
}

template <class P>
void CudaLists<P>::build_if_moved(CudaParticles const& particles, cuda::StepGate const& gate)
{
    cuda::ParticleArrays const now = particles.arrays();
    cuda::launch_build_list_brute<P>(
        {positions(), padded_radius(0.0), now.position, now.reference, cuda::BuildWhen::moved},
        outer(), gate, stream_);
    cuda::StepGate open_unless_closed = gate;
    open_unless_closed.limit = cuda::gate_infinity;
    prune_to_columns(open_unless_closed);
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
