#include "io/h5md/checkpoint_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "engine/config/errors.hpp"

namespace tessera
{

namespace
{

constexpr double farthest = 1e15;  // [sigma]; a double has a digit left after the point
constexpr double latest = 1e15;    // [tau]
constexpr std::int64_t last_step = std::int64_t{1} << 62;
constexpr std::int32_t most_crossings = std::numeric_limits<std::int32_t>::max() - 1000;
constexpr std::size_t most_bins = 100000;  // of output.rdf.bins

bool is_finite(Vec3<double> const& v)
{
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

bool is_inside(Vec3<double> const& position, Box const& box)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        double const x = position[axis];
        bool const inside =
            box.periodic(axis) ? x >= 0.0 && x < box.edges[axis] : std::abs(x) <= farthest;
        if (!inside)  // a NaN is not
        {
            return false;
        }
    }
    return true;
}

void require(bool sound, std::string_view problem)
{
    if (!sound)
    {
        throw IoError(fmt::format("its state is wrong: {}", problem));
    }
}

/// `is_right(index)` for each particle; the message names the first that is not.
template <class IsRight>
void require_each(State const& state, char const* what, IsRight const& is_right)
{
    for (std::size_t index = 0; index < state.id.size(); ++index)
    {
        if (!is_right(index))
        {
            throw IoError(
                fmt::format("its state is wrong: particle {} has {}", state.id[index], what));
        }
    }
}

void require_lengths(State const& state)
{
    std::size_t const count = state.id.size();
    require(count > 0, "it has no particles");
    bool const equal = state.species.size() == count && state.position.size() == count &&
                       state.image.size() == count && state.velocity.size() == count &&
                       state.force.size() == count &&
                       (state.list_position.empty() || state.list_position.size() == count);
    require(equal, "its arrays are of different lengths");
    require(!state.species_names.empty() && state.species_names.size() == state.species_mass.size(),
            "it names no species, or not as many as have a mass");
}

void require_box_and_clock(State const& state)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        double const edge = state.box.edges[axis];
        require(std::isfinite(edge) && edge > 0.0 && edge <= farthest,
                fmt::format("the box edge along {} is {}", "xyz"[axis], edge));
    }
    require(state.step >= 0 && state.step <= last_step,
            fmt::format("it is at step {}", state.step));
    require(std::abs(state.time) <= latest, fmt::format("it is at time {}", state.time));
}

void require_particles(State const& state)
{
    auto const species_count = static_cast<std::int32_t>(state.species_names.size());
    require(std::adjacent_find(state.id.begin(), state.id.end(), std::greater_equal<>()) ==
                state.id.end(),
            "its ids do not ascend");
    require(std::all_of(state.species_mass.begin(), state.species_mass.end(),
                        [](double mass) { return std::isfinite(mass) && mass > 0.0; }),
            "a mass is not above 0");
    require_each(state, "a species that has no name", [&](std::size_t index) {
        return state.species[index] >= 0 && state.species[index] < species_count;
    });
    require_each(state, "a position that is not finite or not in the box",
                 [&](std::size_t index) { return is_inside(state.position[index], state.box); });
    require_each(state, "crossed the box too often to count", [&](std::size_t index) {
        Vec3<std::int32_t> const image = state.image[index];
        auto const countable = [](std::int32_t n) {
            return n >= -most_crossings && n <= most_crossings;
        };
        return countable(image.x) && countable(image.y) && countable(image.z);
    });
    require_each(
        state, "a velocity that is not finite, or whose square is not", [&](std::size_t index) {
            Vec3<double> const v = state.velocity[index];
            auto const species = static_cast<std::size_t>(state.species[index]);
            return std::isfinite(state.species_mass[species] * (v.x * v.x + v.y * v.y + v.z * v.z));
        });
    require_each(state, "a force that is not finite",
                 [&](std::size_t index) { return is_finite(state.force[index]); });
    require_each(
        state, "a list position that is not finite or not in the box", [&](std::size_t index) {
            return state.list_position.empty() || is_inside(state.list_position[index], state.box);
        });
}

void require_rdf(Rdf const& rdf, std::int64_t step)
{
    require(std::isfinite(rdf.range) && rdf.range >= 0.0 && rdf.range <= farthest,
            fmt::format("its g(r) has the range {}", rdf.range));
    require(rdf.pairs.size() <= most_bins, fmt::format("its g(r) has {} bins", rdf.pairs.size()));
    require(rdf.pairs.empty() || rdf.range > 0.0, "its g(r) has bins and no range");
    require(rdf.samples >= 0 && rdf.samples <= step + 1,
            fmt::format("its g(r) has {} samples at step {}", rdf.samples, step));
    require(std::isfinite(rdf.pair_density_sum) && rdf.pair_density_sum >= 0.0,
            fmt::format("its g(r) has the pair density {}", rdf.pair_density_sum));
}

}  // namespace

void require_sound(Checkpoint const& checkpoint)
{
    require_lengths(checkpoint.state);
    require_box_and_clock(checkpoint.state);
    require_particles(checkpoint.state);
    require_rdf(checkpoint.rdf, checkpoint.state.step);
}

}  // namespace tessera
