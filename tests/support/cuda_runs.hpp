#pragma once
/// Runs of the CUDA backend, for tests that compare them. A test program that includes this exits
/// with 77 (skipped) where there is no GPU.

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/backend.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/need_gpu.hpp"

namespace tessera::test
{

/// What the last backend told.
inline std::vector<std::string> notices;

inline std::unique_ptr<Backend> on_gpu(Config const& config)
{
    notices.clear();
    return make_cuda_backend(config, [](std::string const& line) { notices.push_back(line); });
}

inline std::unique_ptr<Backend> loaded(Config const& config, State const& state)
{
    auto backend = on_gpu(config);
    backend->load(state);
    return backend;
}

inline State liquid(Config const& config, int cells, double temperature = 1.0, double jitter = 0.05)
{
    Vec3<double> edges{};
    auto positions = fcc_positions({cells, cells, cells}, 0.8442, jitter, 11, edges);
    State state = state_at(config, {edges, {}}, std::move(positions));
    give_velocities(state, temperature, 12);
    return state;
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

inline State after(Config const& config, State state, std::int64_t steps)
{
    auto const backend = loaded(config, state);
    backend->advance(steps);
    backend->save(state);
    return state;
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
