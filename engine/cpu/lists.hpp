#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/plan.hpp"
#include "engine/backend/potential_tables.hpp"
#include "engine/cpu/particles.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/neighbor/neighbor.hpp"

namespace tessera
{

/// The neighbor lists of a CPU run in the three ways that the input offers, over one form of
/// positions P.
///
///     every_step, skin 0      built from cells at every step, exact
///     every_step, skin > 0    an outer list, built from cells before anyone can have moved half
///                             the skin, and pruned to the exact list at every step
///     on_displacement         the same outer list, used as it is; the pair term cuts
///
/// The test is on the true displacements at every step, so a list is never used once it can be
/// wrong.
template <class P>
class CpuLists
{
public:
    CpuLists(Plan const& plan, Notify notify);

    /// The path, and the slots that rows get at first; lists that have grown stay as they are.
    void prepare(Layout const& layout)
    {
        layout_ = layout;
    }

    /// Sorts `particles` and builds lists at their list positions, then encodes the present ones.
    void build(Particles& particles, PotentialTables<typename P::Real> const& tables);

    /// Brings lists and encoded positions up to date after a drift that left the particle furthest
    /// from its list position at `max_displacement_sq` [sigma^2].
    void update(Particles& particles, PotentialTables<typename P::Real> const& tables,
                double max_displacement_sq);

    /// Makes the exact list of the present positions, if the path and mode want one.
    void prune(PotentialTables<typename P::Real> const& tables);

    PositionView<P> positions() const
    {
        return {encoded_.data(), static_cast<std::int64_t>(encoded_.size()), scale_};
    }
    /// What chunks are reordered from: holds every pair within the cutoff, and maybe others.
    NeighborListView candidates() const
    {
        return outer_.view();
    }
    /// What the list paths read: exact under every_step, the Verlet list under on_displacement.
    NeighborListView active() const
    {
        return prunes() ? exact_.view() : outer_.view();
    }

    std::int64_t rebuilds() const
    {
        return rebuilds_;
    }
    std::int64_t regrowths() const
    {
        return regrowths_;
    }
    StageSeconds const& seconds() const
    {
        return seconds_;
    }
    ListCounts const& counts() const
    {
        return prunes() ? exact_counts_ : outer_counts_;
    }
    void append_bytes(std::vector<std::pair<std::string, std::int64_t>>& bytes) const;

private:
    /// One list's memory: rows x capacity, grown on overflow.
    struct List
    {
        mutable std::vector<std::int32_t> neighbor;
        mutable std::vector<std::int32_t> count;
        std::int32_t capacity = 0;
        bool column_major = false;

        void resize(std::int64_t rows, std::int64_t slots, bool columns);
        NeighborListView view() const;
    };

    bool prunes() const
    {
        return layout_.exact_slots > 0;
    }
    void encode(std::vector<Vec3<double>> const& position, std::int32_t const* species,
                PairSpace const& space);
    /// Ranges of the outer list: each cutoff plus the skin, and what rounds in a search in one
    /// space and use in another.
    PairRanges<typename P::Real> list_ranges(PairSpace const& search, PairSpace const& use);
    template <class Fill>
    ListCounts fill(List& list, char const* name, Fill const& fill_list);

    Plan plan_;
    Layout layout_;
    std::vector<typename P::Real> list_radius_sq_;  ///< of the last build
    Notify notify_;
    PairSpace space_{};
    typename P::Scale scale_{};
    std::vector<P> encoded_;
    List outer_, exact_;
    ListCounts outer_counts_, exact_counts_;
    std::int64_t rebuilds_ = 0, regrowths_ = 0;
    StageSeconds seconds_;
};

}  // namespace tessera
