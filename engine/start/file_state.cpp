#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/start/initial.hpp"

namespace tessera
{
namespace
{

template <class T>
void permute(std::vector<T>& values, std::vector<std::size_t> const& order)
{
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (std::size_t const from : order)
    {
        sorted.push_back(values[from]);
    }
    values = std::move(sorted);
}

/// Ids strictly ascending, as the whole program relies on.
void sort_by_id(State& state)
{
    std::vector<std::size_t> order(state.id.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return state.id[a] < state.id[b]; });
    permute(state.id, order);
    permute(state.species, order);
    permute(state.position, order);
    permute(state.image, order);
    if (!state.velocity.empty())
    {
        permute(state.velocity, order);
    }
    auto const twice = std::adjacent_find(state.id.begin(), state.id.end());
    if (twice != state.id.end())
    {
        throw ConfigError(
            fmt::format("two particles have id {}; ids tell particles "
                        "apart; renumber the file's particles",
                        *twice));
    }
}

bool finite(Vec3<double> const& v)
{
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Boxes between a particle and the origin along an axis.
double boxes_away(State const& state, std::size_t particle, int axis)
{
    return std::abs(state.position[particle][axis] / state.box.edges[axis]) +
           std::abs(static_cast<double>(state.image[particle][axis]));
}

void require_box(Box const& box)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        double const edge = box.edges[axis];
        if (!(edge > 0.0 && std::isfinite(edge)))
        {
            throw ConfigError(
                fmt::format("the box edge along {} is {}; it must be a length above 0; "
                            "correct the file",
                            "xyz"[axis], edge));
        }
    }
}

void require_finite(State const& state)
{
    // Image counts have 32 bits, and wrapping adds to them.
    constexpr double most_boxes = 2147483000.0;
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        bool const finite_energy =
            state.velocity.empty() ||
            std::isfinite(dot(state.velocity[particle], state.velocity[particle]));
        if (!finite(state.position[particle]) || !finite_energy)
        {
            throw ConfigError(
                fmt::format("particle {} has a position or velocity "
                            "that is not finite; such a state cannot be continued; "
                            "choose an earlier frame",
                            state.id[particle]));
        }
        for (int axis = 0; axis < 3; ++axis)
        {
            if (!(boxes_away(state, particle, axis) < most_boxes))
            {
                throw ConfigError(
                    fmt::format("particle {} is more than 2e9 boxes away along {}; "
                                "its position has no digits left; correct the file",
                                state.id[particle], "xyz"[axis]));
            }
        }
    }
}

void place_in_box(State& state)
{
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            if (!state.box.periodic(axis))
            {
                state.position[particle][axis] +=
                    state.image[particle][axis] * state.box.edges[axis];
                state.image[particle][axis] = 0;
            }
        }
        wrap(state.position[particle], state.image[particle], state.box);
    }
}

}  // namespace

void settle_file_state(State& state)
{
    std::size_t const count = state.position.size();
    if (count == 0)
    {
        throw ConfigError(
            "the file has no particles; a run needs at least one; "
            "choose another file or frame");
    }
    state.step = 0;
    state.time = 0.0;
    state.image.resize(count);
    state.force.assign(count, Vec3<double>{});
    state.list_position.clear();
    require_box(state.box);
    require_finite(state);
    sort_by_id(state);
    place_in_box(state);
}

void complete_file_state(State& state, Config const& config)
{
    state.velocity.resize(state.position.size());
    if (config.system.temperature)
    {
        set_maxwell_velocities(state, *config.system.temperature, config.system.seed);
    }
}

}  // namespace tessera
