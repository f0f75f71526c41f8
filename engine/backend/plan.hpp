#pragma once
/// What follows from an input, a number of particles and their box: decided here, once, and read by
/// backends, their lists and chunks, forecasts and reports.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/config.hpp"
#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/positions.hpp"

namespace tessera
{

/// What follows from the input alone. The pairs must be complete.
struct Plan
{
    explicit Plan(Config const& config);

    std::vector<ResolvedPair> pairs;  ///< [species][species]
    int species_count;
    double max_cutoff, min_cutoff;  ///< of a pair [sigma]
    double smallest_sigma;          ///< of a pair that acts [sigma]
    double skin, list_radius;       ///< [sigma]
    Rebuild rebuild;
    Precision precision;
    bool packed;  ///< whether chunks are, where the precision lets them
    std::optional<int> asked_lanes;
    std::optional<std::int64_t> asked_chunk_particles;

    /// Whether exact lists are made at each step from one that is built now and then.
    bool prunes() const
    {
        return rebuild == Rebuild::every_step && skin > 0.0;
    }
};

/// Calls use<P, Slot>() with the form of positions and the format of chunks, the types that a
/// backend is compiled for.
template <class Use>
decltype(auto) with_forms(Plan const& plan, Use const& use)
{
    switch (plan.precision)
    {
        case Precision::double_:
            return use.template operator()<DoublePosition, DoubleSlot>();
        case Precision::single:
            return plan.packed ? use.template operator()<FloatPosition, PackedSlot>()
                               : use.template operator()<FloatPosition, FloatSlot>();
        case Precision::mixed:
            break;
    }
    return plan.packed ? use.template operator()<FixedPosition, PackedSlot>()
                       : use.template operator()<FixedPosition, FloatSlot>();
}

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

/// How neighbor lists are searched for.
enum class Search : std::uint8_t
{
    cells,  ///< particles sorted by cell
    brute   ///< every pair: cheapest for a few thousand particles, and no step asks the host
};

/// What follows for one path on one kind of device. Rows get so many slots at first and grow; 0
/// slots: there is no such list. For `automatic`, the most that any path needs.
struct Layout
{
    ForcePath path = ForcePath::reordered;
    std::int64_t particle_count = 0;
    std::int64_t chunk_particles = 0;  ///< wished; a CPU run gives each thread a few chunks
    int lanes = 1;                     ///< rows of a particle
    Search search = Search::cells;
    bool compact = false;  ///< steps move 8-byte positions, which chunks are reordered from
    bool on_chip = false;  ///< forces of steps come from rows that never are in memory
    std::int32_t list_slots = 0, exact_slots = 0, column_slots = 0, chunk_slots = 0;
};

Layout cpu_layout(Plan const& plan, ForcePath path, std::int64_t particle_count, Box const& box);
Layout cuda_layout(Plan const& plan, ForcePath path, std::int64_t particle_count, Box const& box);

}  // namespace tessera
