#include "engine/cpu/lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/backend/stage_timer.hpp"
#include "kernels/neighbor/search_space.hpp"

namespace tessera
{

template <class P>
void CpuLists<P>::List::resize(std::int64_t rows, std::int64_t slots, bool columns)
{
    capacity = padded_slots(static_cast<std::int32_t>(slots));
    column_major = columns;
    count.resize(static_cast<std::size_t>(rows));
    neighbor.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(capacity));
}

template <class P>
NeighborListView CpuLists<P>::List::view() const
{
    auto const rows = static_cast<std::int64_t>(count.size());
    return {neighbor.data(),        count.data(), rows, capacity, column_major ? 1 : capacity,
            column_major ? rows : 1};
}

template <class P>
CpuLists<P>::CpuLists(Plan const& plan, Notify notify) : plan_(plan), notify_(std::move(notify))
{
}

template <class P>
void CpuLists<P>::encode(std::vector<Vec3<double>> const& position, std::int32_t const* species,
                         PairSpace const& space)
{
    space_ = space;
    scale_ = P::scale(space);
    encoded_.resize(position.size());
    cpu::encode(position.data(), species, static_cast<std::int64_t>(position.size()), space_,
                encoded_.data());
}

template <class P>
template <class Fill>
ListCounts CpuLists<P>::fill(List& list, char const* name, Fill const& fill_list)
{
    ListCounts counts = fill_list(list.view());
    if (counts.longest > list.capacity)
    {
        ++regrowths_;
        notify_(
            fmt::format("the {} list had {} slots a particle and needs {}: grown, and built again",
                        name, list.capacity, counts.longest));
        std::int64_t const slots = counts.longest + counts.longest / 8;
        list.resize(static_cast<std::int64_t>(encoded_.size()), slots, list.column_major);
        counts = fill_list(list.view());
    }
    return counts;
}

template <class P>
PairRanges<typename P::Real> CpuLists<P>::list_ranges(PairSpace const& search, PairSpace const& use)
{
    using Real = typename P::Real;
    list_radius_sq_.clear();
    for (ResolvedPair const& pair : plan_.pairs)
    {
        double const list_radius = pair.cutoff + plan_.skin;
        double const radius = search_radius(list_radius, distance_rounding<P>(search, list_radius),
                                            distance_rounding<P>(use, list_radius));
        list_radius_sq_.push_back(static_cast<Real>(radius * radius));
    }
    return {list_radius_sq_.front(), plan_.species_count > 1 ? list_radius_sq_.data() : nullptr,
            plan_.species_count};
}

template <class P>
void CpuLists<P>::build(Particles& particles, PotentialTables<typename P::Real> const& tables)
{
    CellGrid grid;
    std::int64_t const count = particles.count();
    {
        StageTimer const timer(seconds_.sort);
        auto const& list_position = particles.list_position();
        Bounds const bounds = cpu::find_bounds(list_position.data(), count, particles.box());
        grid = particles.sort(bounds, grid_radius(plan_.list_radius));
    }
    StageTimer const timer(seconds_.neighbor);
    bool const columns = layout_.path == ForcePath::shoc && !prunes();
    bool const reshaped = outer_.column_major != columns;
    if (outer_.view().rows != count || outer_.capacity == 0 || reshaped)
    {
        outer_.resize(count, layout_.list_slots, columns);
    }
    // Lists are built at the list positions: a restart makes the ones that the run had.
    PairSpace const search = cell_search_space(particles.box(), grid, plan_.list_radius);
    PairSpace const listed = listed_space(particles.box(), plan_.list_radius, plan_.skin);
    encode(particles.list_position(), particles.species(), search);
    auto const ranges = list_ranges(search, listed);
    outer_counts_ = fill(outer_, "neighbor", [&](NeighborListView list) {
        return cpu::build_list(positions(), grid, particles.cells(), ranges, list);
    });
    ++rebuilds_;
    encode(particles.position(), particles.species(), listed);
    prune(tables);
}

template <class P>
void CpuLists<P>::prune(PotentialTables<typename P::Real> const& tables)
{
    if (!prunes())
    {
        exact_ = {};  // of another path that was tried
        return;
    }
    bool const columns = layout_.path == ForcePath::shoc;
    if (exact_.view().rows != outer_.view().rows || exact_.column_major != columns)
    {
        exact_.resize(outer_.view().rows, outer_.capacity, columns);
    }
    exact_counts_ = fill(exact_, "exact", [&](NeighborListView list) {
        return cpu::prune_list(positions(), outer_.view(), tables.cutoff_ranges(), list);
    });
}

template <class P>
void CpuLists<P>::update(Particles& particles, PotentialTables<typename P::Real> const& tables,
                         double max_displacement_sq)
{
    // Two particles that each moved less than half the skin are still listed.
    double const allowed = allowed_move(plan_.skin);
    if (max_displacement_sq >= allowed * allowed)
    {
        particles.list_position() = particles.position();
        build(particles, tables);
        return;
    }
    StageTimer const timer(seconds_.neighbor);
    encode(particles.position(), particles.species(), space_);
    prune(tables);
}

template <class P>
void CpuLists<P>::append_bytes(std::vector<std::pair<std::string, std::int64_t>>& bytes) const
{
    auto const list_bytes = [](List const& list) {
        return static_cast<std::int64_t>((list.neighbor.size() + list.count.size()) * 4);
    };
    bytes.emplace_back("encoded positions", encoded_.size() * sizeof(P));
    bytes.emplace_back("neighbor list", list_bytes(outer_));
    if (exact_.capacity > 0)
    {
        bytes.emplace_back("exact list", list_bytes(exact_));
    }
}

template class CpuLists<FixedPosition>;
template class CpuLists<FloatPosition>;
template class CpuLists<DoublePosition>;

}  // namespace tessera
