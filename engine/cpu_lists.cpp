#include "engine/cpu_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/stage_timer.hpp"

namespace tessera
{

double expected_neighbors(double density, double radius)
{
    return 4.0 / 3.0 * std::numbers::pi * density * radius * radius * radius;
}

std::int32_t first_capacity(double expected)
{
    double const slots = 1.35 * expected + 16.0;
    return padded_slots(static_cast<std::int32_t>(std::min(slots, 4096.0)));
}

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
CpuLists<P>::CpuLists(Config const& config, ForcePath path, Notify notify)
    : rebuild_(config.neighbor.rebuild),
      skin_(config.neighbor.skin),
      list_radius_(max_cutoff(config) + config.neighbor.skin),
      path_(path),
      notify_(std::move(notify))
{
}

template <class P>
void CpuLists<P>::encode(Particles const& particles)
{
    auto const& position = particles.position();
    std::int32_t const* const species = particles.species();
    PairSpace const space = space_;  // a copy: its divisions then leave the loop
    encoded_.resize(position.size());
#pragma omp parallel for schedule(static)
    for (std::size_t index = 0; index < position.size(); ++index)
    {
        tessera::encode(position[index], species[index], space, encoded_[index]);
    }
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
void CpuLists<P>::build(Particles& particles, PotentialTables<typename P::Real> const& tables)
{
    CellGrid grid;
    std::int64_t const count = particles.count();
    {
        StageTimer const timer(seconds_.sort);
        auto const& list_position = particles.list_position();
        Bounds const bounds = cpu::find_bounds(list_position.data(), count, particles.box());
        grid = make_cell_grid(particles.box(), bounds, list_radius_, count);
        // Until the next build a particle moves at most about half a skin from where it is now.
        space_ = make_pair_space(particles.box(), bounds, 1.0 + skin_);
        scale_ = P::scale(space_);
        particles.sort(grid);
    }
    StageTimer const timer(seconds_.neighbor);
    bool const columns = path_ == ForcePath::shoc && !prunes();
    bool const reshaped = outer_.column_major != columns;
    if (outer_.view().rows != count || outer_.capacity == 0 || reshaped)
    {
        double const density = static_cast<double>(count) / particles.box().volume();
        double const expected =
            std::min(expected_neighbors(density, list_radius_), static_cast<double>(count));
        outer_.resize(count, first_capacity(expected), columns);
    }
    // Lists are built at the list positions: a restart makes the ones that the run had.
    encoded_.resize(static_cast<std::size_t>(count));
    auto const& list_position = particles.list_position();
    for (std::size_t index = 0; index < list_position.size(); ++index)
    {
        tessera::encode(list_position[index], particles.species()[index], space_, encoded_[index]);
    }
    auto const ranges = rebuild_ == Rebuild::every_step && skin_ == 0.0 ? tables.cutoff_ranges()
                                                                        : tables.list_ranges();
    outer_counts_ = fill(outer_, "neighbor", [&](NeighborListView list) {
        return cpu::build_list(positions(), grid, particles.cell_start(), ranges, list);
    });
    ++rebuilds_;
    encode(particles);
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
    bool const columns = path_ == ForcePath::shoc;
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
    // Two particles that each moved less than half the skin are still listed; the last part in a
    // million covers the rounding of encoded positions.
    double const allowed = 0.5 * skin_ * (1.0 - 1e-6);
    if (max_displacement_sq >= allowed * allowed)
    {
        particles.list_position() = particles.position();
        build(particles, tables);
        return;
    }
    StageTimer const timer(seconds_.neighbor);
    encode(particles);
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
