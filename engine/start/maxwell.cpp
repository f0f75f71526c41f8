#include <cmath>

#include "engine/start/initial.hpp"
#include "engine/state/observables.hpp"
#include "kernels/arithmetic/random.hpp"

namespace tessera
{
namespace
{

double mass_of(State const& state, std::size_t particle)
{
    return state.species_mass[static_cast<std::size_t>(state.species[particle])];
}

/// Takes the center of mass's velocity from every particle.
void remove_momentum(State& state)
{
    Vec3<long double> momentum{};
    long double mass = 0.0L;
    for (std::size_t particle = 0; particle < state.velocity.size(); ++particle)
    {
        long double const m = mass_of(state, particle);
        mass += m;
        for (int axis = 0; axis < 3; ++axis)
        {
            momentum[axis] += m * state.velocity[particle][axis];
        }
    }
    for (Vec3<double>& velocity : state.velocity)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            velocity[axis] = static_cast<double>(velocity[axis] - momentum[axis] / mass);
        }
    }
}

}  // namespace

void set_maxwell_velocities(State& state, double temperature, std::uint64_t seed)
{
    std::size_t const count = state.position.size();
    state.velocity.assign(count, Vec3<double>{});
    if (temperature == 0.0 || count == 0)
    {
        return;
    }
    for (std::size_t particle = 0; particle < count; ++particle)
    {
        RandomKey const key{seed, 0, static_cast<std::uint64_t>(state.id[particle]),
                            RandomPurpose::velocity};
        state.velocity[particle] =
            std::sqrt(temperature / mass_of(state, particle)) * random_normals(key);
    }
    if (count > 1)
    {
        remove_momentum(state);
    }
    // Summed in id order and extended precision: neither threads nor size change a digit.
    long double twice_kinetic = 0.0L;
    for (std::size_t particle = 0; particle < count; ++particle)
    {
        Vec3<double> const& velocity = state.velocity[particle];
        twice_kinetic += mass_of(state, particle) * dot(velocity, velocity);
    }
    auto const wanted =
        static_cast<long double>(degrees_of_freedom(static_cast<std::int64_t>(count))) *
        temperature;
    auto const factor = static_cast<double>(std::sqrt(wanted / twice_kinetic));
    for (Vec3<double>& velocity : state.velocity)
    {
        velocity = factor * velocity;
    }
}

}  // namespace tessera
