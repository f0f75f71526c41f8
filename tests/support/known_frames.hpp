#pragma once
/// States and observables that are functions of the frame number, for tests of files.

#include <cstdint>

#include "engine/state/observables.hpp"
#include "engine/state/state.hpp"
#include "io/files/run_info.hpp"

namespace tessera
{

/// Frame f: step 10 f, time 0.05 f, box 8 x 9 x 10. Particle p: id 2 p + 1, species p % 2 of
/// {A, B}, position (0.1 p + 0.01 f, 0.2 p, 5) folded, velocity (f, p, -1), force (-p, f, 0.5).
inline State known_state(std::int64_t frame, std::int64_t particles)
{
    State state;
    state.box.edges = {8.0, 9.0, 10.0};
    state.step = 10 * frame;
    state.time = 0.05 * static_cast<double>(frame);
    state.species_names = {"A", "B"};
    state.species_mass = {1.0, 39.948};
    for (std::int64_t particle = 0; particle < particles; ++particle)
    {
        double const p = static_cast<double>(particle), f = static_cast<double>(frame);
        Vec3<double> position{0.1 * p + 0.01 * f, 0.2 * p, 5.0};
        Vec3<std::int32_t> image{};
        wrap(position, image, state.box);
        state.id.push_back(2 * particle + 1);
        state.species.push_back(static_cast<std::int32_t>(particle % 2));
        state.position.push_back(position);
        state.image.push_back(image);
        state.velocity.push_back({f, p, -1.0});
        state.force.push_back({-p, f, 0.5});
    }
    return state;
}

/// Systems with an open axis have no volume, and so no pressure.
enum class Volume
{
    present,
    absent
};

inline Observables known_observables(std::int64_t frame, Volume volume = Volume::present)
{
    Observables observables;
    observables.step = 10 * frame;
    observables.time = 0.05 * static_cast<double>(frame);
    observables.temperature = 1.0 / 3.0 + static_cast<double>(frame);
    if (volume == Volume::present)
    {
        observables.pressure_tensor = SymmetricTensor{1.0, 0.1, 0.2, 2.0, 0.3, 3.0};
        observables.pressure = 2.0;
        observables.density = 0.5;
    }
    observables.potential_energy = -6.0;
    observables.kinetic_energy = 1.5;
    observables.total_energy = -4.5;
    return observables;
}

inline RunInfo known_run_info()
{
    RunInfo info;
    info.resolved_yaml = "system:\n  seed: 18446744073709551615\n";
    info.seed = 18446744073709551615U;
    info.device = "cpu";
    info.version = "0.1.0";
    info.build = "test";
    info.random_numbers = "Philox4x32-10";
    return info;
}

}  // namespace tessera
