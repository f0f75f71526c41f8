#include "engine/backend/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "engine/config/precision.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "kernels/neighbor/neighbor.hpp"

namespace tessera
{
namespace
{

/// Up to so many particles in a periodic box, every pair may be tried at each step.
constexpr std::int64_t most_for_brute_force = 8192;

/// More slots than this are not given before a row has asked for them.
constexpr double most_first_slots = 4096.0;

/// Neighbors within `radius` at uniform density.
double expected_neighbors(std::int64_t particle_count, Box const& box, double radius)
{
    double const count = static_cast<double>(particle_count);
    double const density = count / box.volume();
    return std::min(4.0 / 3.0 * std::numbers::pi * density * radius * radius * radius, count);
}

/// Liquids fit, and what does not grows.
std::int32_t cpu_slots(double expected)
{
    return padded_slots(
        static_cast<std::int32_t>(std::min(1.35 * expected + 16.0, most_first_slots)));
}

/// Rows that share a particle vary more: the square root of what they hold.
std::int32_t cuda_slots(double expected, int lanes)
{
    double const share = expected / lanes;
    double const slots = std::min(1.35 * share + 3.0 * std::sqrt(share) + 4.0, most_first_slots);
    return static_cast<std::int32_t>(std::ceil(slots / slot_group)) * slot_group;
}

bool is_periodic(Box const& box)
{
    return box.periodic(0) && box.periodic(1) && box.periodic(2);
}

bool may_reorder(ForcePath path)
{
    return path == ForcePath::reordered || path == ForcePath::automatic;
}

int cuda_lanes(Plan const& plan, ForcePath path, std::int64_t particle_count)
{
    if (path == ForcePath::shoc)
    {
        return 1;
    }
    // The fastest whole steps at six sizes; the next best was 5 to 17 % slower (NVIDIA H200, 2026).
    return plan.asked_lanes.value_or(particle_count <= 8192    ? 16
                                     : particle_count <= 24576 ? 4
                                     : particle_count <= 98304 ? 2
                                                               : 1);
}

/// Open axes need the particles' extremes on the host at each build. Trying every pair needs
/// extents as long as the edges.
Search cuda_search(Plan const& plan, std::int64_t particle_count, Box const& box)
{
    bool const pays = is_periodic(box) && particle_count <= most_for_brute_force;
    bool const resolved = with_forms(plan, [&]<class P, class Slot>() {
        return resolves<P>(make_pair_space(box, box.edges),
                           listed_space(box, plan.list_radius, plan.skin), plan.smallest_sigma);
    });
    return pays && resolved ? Search::brute : Search::cells;
}

}  // namespace

Plan::Plan(Config const& config)
    : pairs(resolve_pairs(config)),
      species_count(static_cast<int>(config.system.species.size())),
      max_cutoff(std::ranges::max_element(pairs, {}, &ResolvedPair::cutoff)->cutoff),
      min_cutoff(std::ranges::min_element(pairs, {}, &ResolvedPair::cutoff)->cutoff),
      smallest_sigma(smallest_acting_sigma(config)),
      skin(config.neighbor.skin),
      list_radius(max_cutoff + skin),
      rebuild(config.neighbor.rebuild),
      precision(config.force.precision),
      packed(packs_chunks(config)),
      asked_lanes(config.force.lanes),
      asked_chunk_particles(config.reorder.chunk_particles)
{
}

Layout cpu_layout(Plan const& plan, ForcePath path, std::int64_t particle_count, Box const& box)
{
    Layout layout{path, particle_count};
    layout.list_slots = cpu_slots(expected_neighbors(particle_count, box, plan.list_radius));
    // The exact list may be as long as the one that it is pruned from.
    layout.exact_slots = plan.prunes() && path != ForcePath::reordered ? layout.list_slots : 0;
    layout.chunk_slots =
        may_reorder(path) ? cpu_slots(expected_neighbors(particle_count, box, plan.max_cutoff)) : 0;
    return layout;
}

Layout cuda_layout(Plan const& plan, ForcePath path, std::int64_t particle_count, Box const& box)
{
    Layout layout{path, particle_count};
    layout.lanes = cuda_lanes(plan, path, particle_count);
    layout.search = cuda_search(plan, particle_count, box);
    // One chunk, if its memory allows: every kernel's tail costs more than overlap gains (single
    // chunk 581 us a step, eight in two streams 599 us; NVIDIA H200, 1 000 188 particles, 2026).
    std::int64_t const all = (particle_count + slice_rows - 1) / slice_rows * slice_rows;
    layout.chunk_particles = std::min(plan.asked_chunk_particles.value_or(all), all);
    // Half the bytes of a gather pay once the L1, and not latency, is the limit. A search that
    // tries every pair reads the encoded positions at each step, so they must be the ones that
    // move.
    bool const packs_fixed = plan.precision == Precision::mixed && plan.packed;
    layout.compact = packs_fixed && may_reorder(path) && plan.species_count == 1 &&
                     is_periodic(box) && layout.lanes == 1 && layout.search == Search::cells;
    // Chunks of a size that was asked for go through the streams.
    layout.on_chip = path == ForcePath::reordered && !plan.asked_chunk_particles;
    auto const slots = [&](double radius) {
        return cuda_slots(expected_neighbors(particle_count, box, radius), layout.lanes);
    };
    layout.list_slots = slots(plan.list_radius);
    bool const may_gather = path == ForcePath::gather || path == ForcePath::automatic;
    layout.exact_slots = may_gather && plan.prunes() ? slots(plan.max_cutoff) : 0;
    layout.column_slots = path == ForcePath::shoc ? layout.list_slots : 0;
    layout.chunk_slots = may_reorder(path) ? slots(plan.max_cutoff) : 0;
    return layout;
}

}  // namespace tessera
