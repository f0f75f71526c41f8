#pragma once
/// Runs on the device that this run of a test program is for: one body, every backend. ctest runs a
/// program once a device, and names that in TESSERA_TEST_DEVICE (cpu, cuda); by hand it is the CPU.
/// A device that is not there: the program says so and exits with 77 (skipped).

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/devices.hpp"
#include "io/yaml/device_name.hpp"
#include "tests/support/systems.hpp"

namespace tessera::test
{

inline DeviceConfig tested_device()
{
    char const* const name = std::getenv("TESSERA_TEST_DEVICE");
    DeviceConfig const wanted = parse_device(name == nullptr ? "cpu" : name).value();
    for (DeviceConfig const& device : available_devices())
    {
        if (device.type == wanted.type)
        {
            return wanted;
        }
    }
    std::printf("skipped: no device %s\n", name);
    std::exit(77);
}

inline void ignore(std::string const&)
{
}

/// What the last backend told.
inline std::vector<std::string> notices;

inline std::unique_ptr<Backend> on_device(Config config)
{
    static DeviceConfig const device = tested_device();
    config.device = device;
    notices.clear();
    return make_backend(config, [](std::string const& line) { notices.push_back(line); });
}

inline std::unique_ptr<Backend> loaded(Config const& config, State const& state)
{
    auto backend = on_device(config);
    backend->load(state);
    return backend;
}

inline State after(Config const& config, State state, std::int64_t steps)
{
    auto const backend = loaded(config, state);
    backend->advance(steps);
    backend->save(state);
    return state;
}

/// The state as it is saved, with its forces.
inline State loaded_state(Config const& config, State const& state)
{
    State result = state;
    loaded(config, state)->save(result);
    return result;
}

inline State liquid(Config const& config, int cells = 5, double temperature = 1.0,
                    double jitter = 0.05, double density = 0.8442)
{
    Vec3<double> edges{};
    auto positions = fcc_positions({cells, cells, cells}, density, jitter, 11, edges);
    State state = state_at(config, {edges, {}}, std::move(positions));
    give_velocities(state, temperature, 12);
    return state;
}

inline double total_energy(Backend& backend)
{
    Sample const sample = backend.sample();
    return sample.potential_energy + 0.5 * trace(sample.kinetic);
}

inline bool same_bytes(State const& a, State const& b)
{
    auto const same = [](auto const& x, auto const& y) {
        return x.size() == y.size() &&
               std::memcmp(x.data(), y.data(), x.size() * sizeof(x[0])) == 0;
    };
    return same(a.position, b.position) && same(a.velocity, b.velocity) && same(a.force, b.force) &&
           same(a.image, b.image) && same(a.list_position, b.list_position);
}

/// Every path, precision and list mode.
inline std::vector<Config> all_modes(Config const& base)
{
    std::vector<Config> configs;
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        for (Precision const precision : {Precision::mixed, Precision::double_, Precision::single})
        {
            for (NeighborConfig const neighbor : {NeighborConfig{Rebuild::every_step, 0.0},
                                                  NeighborConfig{Rebuild::every_step, 0.3},
                                                  NeighborConfig{Rebuild::on_displacement, 0.3}})
            {
                Config config = base;
                config.force = {path, precision};
                config.neighbor = neighbor;
                configs.push_back(config);
            }
        }
    }
    return configs;
}

/// The rms difference of the forces relative to their rms.
inline double relative_difference(State const& a, State const& b)
{
    double difference = 0.0;
    double scale = 0.0;
    for (std::size_t i = 0; i < a.force.size(); ++i)
    {
        Vec3<double> const d = a.force[i] - b.force[i];
        difference += dot(d, d);
        scale += dot(b.force[i], b.force[i]);
    }
    return std::sqrt(difference / scale);
}

}  // namespace tessera::test
