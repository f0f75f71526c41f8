#include "engine/state/soundness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "engine/config/errors.hpp"

namespace tessera
{
namespace
{

bool is_finite(Vec3<double> v)
{
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

double length(Vec3<double> v)
{
    return std::hypot(v.x, v.y, v.z);
}

/// The nearest other particle, in words; nothing where there is none.
std::string nearest_to(State const& state, std::size_t particle)
{
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t which = particle;
    for (std::size_t other = 0; other < state.position.size(); ++other)
    {
        Vec3<double> const separation =
            minimum_image(state.position[particle] - state.position[other], state.box);
        double const distance = length(separation);
        if (other != particle && distance < nearest)
        {
            nearest = distance;
            which = other;
        }
    }
    if (which == particle)
    {
        return {};
    }
    return nearest == 0.0 ? fmt::format("particle {} is at its place", state.id[which])
                          : fmt::format("particle {} is {:.3g} away", state.id[which], nearest);
}

/// The first axis along which `value` is beyond the limit; 3: none.
int axis_beyond(Vec3<double> value, Vec3<double> limit)
{
    int axis = 0;
    while (axis < 3 && std::abs(value[axis]) <= limit[axis])
    {
        ++axis;
    }
    return axis;
}

struct Verdict
{
    std::string fault, cure;
};

Verdict judge(State const& state, std::size_t particle, SoundRules const& rules)
{
    constexpr std::string_view unstable =
        "the run has become unstable; a smaller run.dt, a start with no overlapping particles or a "
        "lower temperature cures it";
    Vec3<double> const velocity = state.velocity[particle];
    Vec3<double> const force = state.force[particle];
    if (!is_finite(state.position[particle]) || !is_finite(velocity) || !is_finite(force))
    {
        return {"these are not all finite", std::string(unstable)};
    }
    // Before a drift the force is still to be added, after a drift that was stopped it is in the
    // velocity already: what the velocity alone does is the larger part in both.
    auto const species = static_cast<std::size_t>(state.species[particle]);
    Vec3<double> const move = rules.dt * velocity;
    Vec3<double> const kicked =
        rules.dt * (velocity + (0.5 * rules.dt / state.species_mass[species]) * force);
    for (Vec3<double> const& candidate : {move, kicked})
    {
        int const axis = axis_beyond(candidate, rules.limits.move);
        if (axis < 3)
        {
            return {fmt::format("it would move {:.4g} along {} in one step, more than {}",
                                candidate[axis], "xyz"[axis],
                                state.box.periodic(axis)
                                    ? std::string("half a box")
                                    : fmt::format("{} list radii", most_radii_a_step)),
                    std::string(unstable)};
        }
    }
    int const axis = axis_beyond(state.position[particle] + kicked, rules.limits.place);
    if (axis < 3)
    {
        return {fmt::format("along {} it flies further than positions are held, which is {:.6g}, "
                            "2^29 list radii",
                            "xyz"[axis], rules.limits.place[axis]),
                "a periodic axis keeps particles near"};
    }
    Vec3<std::int32_t> const image = state.image[particle];
    if (!images_fit(image, {1, 1, 1}) || !images_fit(image, {-1, -1, -1}))
    {
        return {"it has crossed the box as often as images are counted, which is 2147483647 times",
                "a start with smaller images lets the run go on"};
    }
    return {"these are absurd", std::string(unstable)};
}

}  // namespace

SoundRules sound_rules(Config const& config, Box const& box)
{
    return {config.run.dt, motion_limits(box, max_cutoff(config) + config.neighbor.skin)};
}

std::optional<std::int64_t> find_unsound(State const& state, SoundRules const& rules)
{
    auto const count = state.particle_count();
    std::int64_t lowest = count;
#pragma omp parallel for schedule(static) reduction(min : lowest)
    for (std::int64_t place = 0; place < count; ++place)
    {
        auto const at = static_cast<std::size_t>(place);
        double const mass = state.species_mass[static_cast<std::size_t>(state.species[at])];
        if (!is_sound(state.position[at], state.velocity[at], state.force[at], rules.dt, mass,
                      rules.limits) ||
            !is_within(state.list_position[at], rules.limits.place))
        {
            lowest = std::min(lowest, place);
        }
    }
    return lowest == count ? std::nullopt
                           : std::optional(state.id[static_cast<std::size_t>(lowest)]);
}

void stop_at_particle(State const& state, std::int64_t id, std::int64_t step,
                      SoundRules const& rules)
{
    auto const at =
        static_cast<std::size_t>(std::ranges::lower_bound(state.id, id) - state.id.begin());
    Vec3<double> const x = state.position[at];
    std::string const nearest = nearest_to(state, at);
    Verdict const verdict = judge(state, at, rules);
    throw RunError(fmt::format(
        "step {}: particle {} at ({:.6g}, {:.6g}, {:.6g}) has speed {:.6g} and feels a force of "
        "{:.6g}{}{}: {}: {}",
        step, id, x.x, x.y, x.z, length(state.velocity[at]), length(state.force[at]),
        nearest.empty() ? "" : ", ", nearest, verdict.fault, verdict.cure));
}

void require_finite(Sample const& sample, Observables const& o)
{
    auto const require = [&](std::string_view name, double value) {
        if (!std::isfinite(value))
        {
            throw RunError(fmt::format(
                "step {}: the {} is {}, too large for a number: some particles are too close or "
                "too fast; start from a lattice, raise system.random.min_distance, lower run.dt "
                "or the temperature",
                o.step, name, value));
        }
    };
    require("potential energy", sample.potential_energy);
    require("potential energy of the sharp cut", sample.sharp_potential_energy);
    for (std::size_t component = 0; component < 6; ++component)
    {
        require("kinetic energy", sample.kinetic[component]);
        require("virial", sample.virial[component]);
        require("virial of the sharp cut", sample.sharp_virial[component]);
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        require("momentum", sample.momentum[axis]);
    }
    // What follows from sums that are finite can still overflow.
    require("time", o.time);
    require("temperature", o.temperature);
    require("total energy", o.total_energy);
    for (double const component : o.pressure_tensor.value_or(SymmetricTensor{}))
    {
        require("pressure", component);
    }
    require("pressure", o.pressure.value_or(0.0));
    if (o.tail)
    {
        require("tail energy", o.tail->energy);
        require("tail pressure", o.tail->pressure);
    }
}

}  // namespace tessera
