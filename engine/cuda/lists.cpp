#include "engine/cuda/lists.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/motion/integrate_cuda.hpp"
#include "kernels/neighbor/search_space.hpp"
#include "kernels/reorder/reorder_cuda.hpp"

namespace tessera
{
namespace
{

std::int32_t round_to_group(double slots)
{
    return static_cast<std::int32_t>(std::ceil(slots / slot_group)) * slot_group;
}

}  // namespace

template <class P>
CudaLists<P>::CudaLists(Plan const& plan, cudaStream_t stream, CudaStageClock& clock)
    : stream_(stream), clock_(clock), plan_(plan)
{
}

template <class P>
void CudaLists<P>::allocate_rows(Rows& rows)
{
    auto const slices =
        static_cast<std::size_t>(slice_count(layout_.particle_count, layout_.lanes));
    rows.neighbor = {};
    rows.neighbor = DeviceBuffer<std::int32_t>(
        slices * slice_rows * static_cast<std::size_t>(rows.capacity), stream_);
    rows.slots = DeviceBuffer<std::int32_t>(slices, stream_);
}

template <class P>
void CudaLists<P>::prepare(Layout const& layout, Box const& box)
{
    layout_ = layout;
    listed_ = listed_space(box, plan_.list_radius, plan_.skin);
    auto const size = static_cast<std::size_t>(layout.particle_count);
    encoded_ = DeviceBuffer<P>(size, stream_);
    compact_ = DeviceBuffer<CompactPosition>(layout.compact ? size : 0, stream_);
    outer_.capacity = layout.list_slots;
    allocate_rows(outer_);
    pruned_ = {};
    if (prunes())
    {
        pruned_.capacity = layout.exact_slots;
        allocate_rows(pruned_);
    }
    column_neighbor_ = {};
    column_slots_ = {};
    column_capacity_ = layout.column_slots;
    if (has_columns())
    {
        allocate_columns();
        column_slots_ = DeviceBuffer<std::int32_t>(size, stream_);
    }
}

template <class P>
void CudaLists<P>::allocate_columns()
{
    column_neighbor_ = {};
    column_neighbor_ = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(layout_.particle_count) *
                                                      static_cast<std::size_t>(column_capacity_),
                                                  stream_);
}

template <class P>
double CudaLists<P>::padded_radius(double span) const
{
    // A cluster's search takes the difference of two displacements of up to `span`, each converted
    // and multiplied, and may fold it by a rounded period no longer than twice that.
    constexpr double unit = sizeof(Real) == 4 ? 0x1p-24 : 0x1p-53;
    double const search = distance_rounding<P>(space_, plan_.list_radius);
    double const use =
        compacts() ? distance_rounding<CompactPosition>(listed_, plan_.list_radius) : search;
    return search_radius(plan_.list_radius, search + std::sqrt(3.0) * 6.0 * unit * span, use);
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
    cuda::encode(position, particles.view(), space_, encoded_.data(), stream_);
}

template <class P>
void CudaLists<P>::build(CudaParticles& particles, ListPositions at, cuda::StepGate const& gate)
{
    ++builds_;
    if (layout_.search == Search::brute)
    {
        space_ = make_pair_space(particles.box(), particles.box().edges);
        cuda::ParticleArrays const now = particles.arrays();
        bool const present = at == ListPositions::present;
        encode(particles, present ? now.position : now.list_position);
        cuda::build_list_by_pairs<P>(
            {positions(), padded_radius(0.0), present ? now.position : nullptr, now.list_position,
             cuda::BuildWhen::always},
            outer(), gate, stream_);
        --builds_;  // the device counts its own
    }
    else
    {
        search_cells(particles, at, gate);
    }
    prune_to_columns(gate);
    bool const replaced = !resolves<P>(space_, listed_, plan_.smallest_sigma) && !compacts();
    if (compacts())
    {
        cuda::encode(particles.arrays().position, particles.view(), listed_, compact_.data(),
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
        grid = particles.sort(bounds, grid_radius(plan_.list_radius), at);
        space_ = cluster_search_space(particles.box(), grid, plan_.list_radius);
        encode(particles, particles.arrays().list_position);
    }
    CudaStageClock::Interval const searching(clock_, CudaStage::neighbor);
    cuda::build_list<P>(
        {positions(), particles.arrays().list_position, grid, particles.cell_table(), fold_period(),
         padded_radius(cluster_span(grid, plan_.list_radius))},
        outer(), gate, stream_);
}

/// The path shoc without a list of its own at each step reads the outer one, in columns.
template <class P>
void CudaLists<P>::prune_to_columns(cuda::StepGate const& gate)
{
    if (has_columns() && plan_.rebuild == Rebuild::on_displacement)
    {
        auto const radius = static_cast<Real>(padded_radius(0.0));
        cuda::prune_list_to_columns<P>(positions(), outer(), {radius * radius, nullptr, 1},
                                       columns(), gate, stream_);
    }
}

template <class P>
void CudaLists<P>::build_if_moved(CudaParticles const& particles, cuda::StepGate const& gate)
{
    cuda::ParticleArrays const now = particles.arrays();
    cuda::build_list_by_pairs<P>(
        {positions(), padded_radius(0.0), now.position, now.list_position, cuda::BuildWhen::moved},
        outer(), gate, stream_);
    cuda::StepGate open_unless_closed = gate;
    open_unless_closed.limit = nullptr;
    prune_to_columns(open_unless_closed);
}

template <class P>
void CudaLists<P>::prune(CudaTables<Real> const& tables, cuda::StepGate const& gate)
{
    if (has_columns() && plan_.rebuild == Rebuild::every_step)
    {
        cuda::prune_list_to_columns<P>(positions(), outer(), tables.cutoff_ranges(), columns(),
                                       gate, stream_);
    }
    else if (prunes())
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
    if (prunes() && needed > pruned_.capacity)
    {
        pruned_.capacity = round_to_group(1.125 * static_cast<double>(needed));
        allocate_rows(pruned_);
        return true;
    }
    if (has_columns() && needed > column_capacity_)
    {
        column_capacity_ = round_to_group(1.125 * static_cast<double>(needed));
        allocate_columns();
        return true;
    }
    return false;
}

template <class P>
cuda::ColumnListView CudaLists<P>::columns() const
{
    return {column_neighbor_.data(), column_slots_.data(), layout_.particle_count,
            column_capacity_};
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
