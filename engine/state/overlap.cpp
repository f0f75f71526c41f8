#include "engine/state/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "kernels/neighbor/cells.hpp"
#include "kernels/neighbor/sort.hpp"

namespace tessera
{
namespace
{

/// Cores of pairs of species [sigma]; 0 where a pair does not repel.
class Cores
{
public:
    explicit Cores(std::vector<ResolvedPair> const& pairs)
        : species_count_(
              static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(pairs.size())))))
    {
        for (ResolvedPair const& pair : pairs)
        {
            double const core =
                with_form(pair.type, [&]<template <class> class Form>(FormTag<Form>) {
                    return Form<double>::core(pair);
                });
            core_.push_back(pair.epsilon > 0.0 ? core : 0.0);
        }
    }

    std::size_t species_count() const
    {
        return species_count_;
    }
    double of(std::int32_t a, std::int32_t b) const
    {
        return core_[static_cast<std::size_t>(a) * species_count_ + static_cast<std::size_t>(b)];
    }
    /// Among themselves if they repel, otherwise the largest with others.
    double size_of(std::int32_t species) const
    {
        auto const row = core_.begin() + static_cast<std::ptrdiff_t>(
                                             static_cast<std::size_t>(species) * species_count_);
        double const own = of(species, species);
        return own > 0.0
                   ? own
                   : *std::max_element(row, row + static_cast<std::ptrdiff_t>(species_count_));
    }

private:
    std::size_t species_count_;
    std::vector<double> core_;
};

/// Particles of about one size: few small ones then lie near a large one, and no cell as wide as a
/// large core is searched for pairs of small ones.
struct SizeGroup
{
    std::vector<std::int32_t> species;
    std::vector<std::int32_t> index;     // [member] in the state
    std::vector<Vec3<double>> position;  // [member] wrapped
};

/// Smallest first, sizes of a group within a factor of two.
std::vector<SizeGroup> group_by_size(State const& state, Cores const& cores)
{
    std::map<int, SizeGroup> groups;
    std::vector<SizeGroup*> group_of(cores.species_count(), nullptr);
    for (std::size_t species = 0; species < group_of.size(); ++species)
    {
        double const size = cores.size_of(static_cast<std::int32_t>(species));
        if (size > 0.0)
        {
            group_of[species] = &groups[std::ilogb(size)];
            group_of[species]->species.push_back(static_cast<std::int32_t>(species));
        }
    }
    for (std::size_t index = 0; index < state.position.size(); ++index)
    {
        if (SizeGroup* const group = group_of[static_cast<std::size_t>(state.species[index])])
        {
            Vec3<double> place = state.position[index];
            Vec3<std::int32_t> image;
            wrap(place, image, state.box);
            group->index.push_back(static_cast<std::int32_t>(index));
            group->position.push_back(place);
        }
    }
    std::vector<SizeGroup> by_size;
    for (auto& [size, group] : groups)
    {
        by_size.push_back(std::move(group));
    }
    return by_size;
}

/// A group in order of the cells of a grid.
struct SortedGroup
{
    CellGrid grid;
    cpu::CellSort sort;
    std::vector<Vec3<double>> position;
    std::vector<std::int32_t> index;  // in the state

    void take(SizeGroup const& group)
    {
        for (std::int32_t const member : sort.order())
        {
            position.push_back(group.position[static_cast<std::size_t>(member)]);
            index.push_back(group.index[static_cast<std::size_t>(member)]);
        }
    }
};

class OverlapFinder
{
public:
    OverlapFinder(State const& state, Cores const& cores) : state_(state), cores_(cores)
    {
    }

    OverlapSearch find()
    {
        std::vector<SizeGroup> const groups = group_by_size(state_, cores_);
        for (std::size_t difference = 0; difference < groups.size(); ++difference)
        {
            // Like sizes first: particles that do not overlap each other are few near any place.
            for (std::size_t small = 0; small + difference < groups.size(); ++small)
            {
                while (search(groups[small], groups[small + difference]) == Outcome::again)
                {
                }
            }
        }
        return found_;
    }

private:
    enum class Outcome
    {
        done,
        again  ///< with smaller cells: what was found lies far within its core
    };

    enum class Pairs
    {
        within,  ///< of one group, each once
        between
    };

    double largest_core(SizeGroup const& a, SizeGroup const& b) const
    {
        double largest = 0.0;
        for (std::int32_t const first : a.species)
        {
            for (std::int32_t const second : b.species)
            {
                largest = std::max(largest, cores_.of(first, second));
            }
        }
        return largest;
    }

    /// Looks for pairs at a smaller part of their core than the worst so far. Cells follow that
    /// part: however many particles are in one place, few of them share a cell without a pair that
    /// is worse by half.
    Outcome search(SizeGroup const& small, SizeGroup const& large)
    {
        // Rounding of the cells must not lose what is at the part itself.
        double const radius = part_ * largest_core(small, large) * (1.0 + 1e-6);
        if (radius == 0.0 || small.index.empty() || large.index.empty())
        {
            return Outcome::done;
        }
        SortedGroup targets = sorted(small, large, radius);
        if (found_.worst && !resolves(targets.grid, radius))
        {
            return Outcome::done;
        }
        if (&small == &large)
        {
            return search_around(targets, targets, Pairs::within);
        }
        SortedGroup centers{targets.grid, {}, {}, {}};
        sort_members(large, [&](auto const& position, auto const& id) {
            centers.sort.sort(position.data(), id.data(),
                              static_cast<std::int64_t>(position.size()), centers.grid);
        });
        centers.take(large);
        return search_around(centers, targets, Pairs::between);
    }

    /// Whether the cells of a sparse grid are as small as asked. Where they cannot be, because
    /// others are too far away, one overlap is told for all.
    static bool resolves(CellGrid const& grid, double radius)
    {
        bool resolved = true;
        for (int axis = 0; axis < 3; ++axis)
        {
            resolved = resolved && grid.width(axis) <= 2.0 * radius;
        }
        return resolved || grid.layout == CellLayout::dense;
    }

    template <class Sort>
    static void sort_members(SizeGroup const& group, Sort const& sort)
    {
        std::vector<std::int64_t> id(group.index.size());
        std::iota(id.begin(), id.end(), std::int64_t{0});
        sort(group.position, id);
    }

    /// `small` in cells that cover `large` too.
    SortedGroup sorted(SizeGroup const& small, SizeGroup const& large, double radius) const
    {
        Bounds bounds = cpu::find_bounds(
            small.position.data(), static_cast<std::int64_t>(small.position.size()), state_.box);
        Bounds const others = cpu::find_bounds(
            large.position.data(), static_cast<std::int64_t>(large.position.size()), state_.box);
        for (int axis = 0; axis < 3; ++axis)
        {
            bounds.low[axis] = std::min(bounds.low[axis], others.low[axis]);
            bounds.high[axis] = std::max(bounds.high[axis], others.high[axis]);
        }
        SortedGroup group;
        sort_members(small, [&](auto const& position, auto const& id) {
            group.grid = group.sort.sort(position.data(), id.data(),
                                         static_cast<std::int64_t>(position.size()),
                                         {state_.box, bounds, {radius, radius, radius}, radius});
        });
        group.take(small);
        return group;
    }

    Outcome search_around(SortedGroup const& centers, SortedGroup const& targets, Pairs pairs)
    {
        cpu::SortedCells const cells = centers.sort.cells();
        cpu::RowFinder rows(targets.sort.cells(), targets.grid);
        double const part_before = part_;
        std::vector<cpu::ParticleRun> around;
        for (std::int64_t cell = 0; cell < cells.count; ++cell)
        {
            if (cells.start[cell] == cells.start[cell + 1])
            {
                continue;
            }
            around.clear();
            cpu::for_each_run_around(cells.coordinates(cell, centers.grid), targets.grid, rows,
                                     [&](cpu::ParticleRun run) { around.push_back(run); });
            for (std::int32_t center = cells.start[cell]; center < cells.start[cell + 1]; ++center)
            {
                for (cpu::ParticleRun const run : around)
                {
                    std::int32_t const end =
                        pairs == Pairs::within ? std::min(run.end, center) : run.end;
                    for (std::int32_t target = run.begin; target < end; ++target)
                    {
                        test(centers, center, targets, target);
                    }
                }
                if (part_ < 0.5 * part_before)
                {
                    return part_ > 0.0 ? Outcome::again : Outcome::done;
                }
            }
        }
        return Outcome::done;
    }

    void test(SortedGroup const& centers, std::int32_t center, SortedGroup const& targets,
              std::int32_t target)
    {
        auto const c = static_cast<std::size_t>(center);
        auto const t = static_cast<std::size_t>(target);
        ++found_.tests;
        Vec3<double> const d = minimum_image(centers.position[c] - targets.position[t], state_.box);
        std::int32_t const first = centers.index[c];
        std::int32_t const second = targets.index[t];
        double const core = cores_.of(state_.species[static_cast<std::size_t>(first)],
                                      state_.species[static_cast<std::size_t>(second)]);
        double const limit = part_ * core;
        double const distance_sq = dot(d, d);
        if (distance_sq < limit * limit)
        {
            double const distance = std::sqrt(distance_sq);
            part_ = distance / core;
            found_.worst =
                Overlap{std::min(first, second), std::max(first, second), distance, core};
        }
    }

    State const& state_;
    Cores const& cores_;
    double part_ = 1.0;  // of its core, at which the worst pair is
    OverlapSearch found_;
};

}  // namespace

OverlapSearch find_overlaps(State const& state, std::vector<ResolvedPair> const& pairs)
{
    Cores const cores(pairs);
    return OverlapFinder(state, cores).find();
}

}  // namespace tessera
