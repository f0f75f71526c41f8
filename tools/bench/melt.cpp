#include "tools/bench/melt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/input/input.hpp"

namespace tessera
{

Config melt_config(MeltOptions const& options, std::int64_t particles, std::string const& path)
{
    auto const cells =
        std::max<std::int64_t>(3, std::llround(std::cbrt(static_cast<double>(particles) / 4.0)));
    std::string const text = fmt::format(
        "system:\n"
        "  lattice: {{type: fcc, cells: [{0}, {0}, {0}], density: 0.8442}}\n"
        "  temperature: 1.44\n"
        "  seed: 87287\n"
        "potential: {{cutoff: 2.5, truncation: sharp, pairs: [{{species: [A, A], epsilon: 1, "
        "sigma: 1}}]}}\n"
        "neighbor: {{rebuild: {1}, skin: {2}}}\n"
        "force: {{path: {3}, precision: {4}, lanes: {5}}}\n"
        "reorder: {{format: {6}, chunk_particles: {7}, streams: {8}}}\n"
        "run: {{steps: 0, dt: 0.005}}\n"
        "device: {9}\n"
        "threads: {10}\n",
        cells, options.rebuild, options.skin, path, options.precision,
        options.lanes > 0 ? std::to_string(options.lanes) : "auto", options.format,
        options.chunk_particles > 0 ? std::to_string(options.chunk_particles) : "auto",
        options.streams, options.device,
        options.threads > 0 ? std::to_string(options.threads) : "auto");
    return parse_input(text, "bench", {}).config;
}

ReferenceForces reference_forces(Config const& config, State const& state, std::int64_t samples)
{
    double const cutoff_sq = config.potential.cutoff * config.potential.cutoff;
    std::int64_t const count = state.particle_count();
    std::int64_t const stride = std::max<std::int64_t>(1, count / samples);
    ReferenceForces reference;
    for (std::int64_t i = 0; i < count; i += stride)
    {
        Vec3<double> force{};
        for (std::int64_t j = 0; j < count; ++j)
        {
            auto const d = minimum_image(state.position[static_cast<std::size_t>(i)] -
                                             state.position[static_cast<std::size_t>(j)],
                                         state.box);
            double const r_sq = dot(d, d);
            if (j != i && r_sq < cutoff_sq)
            {
                double const inv_r6 = 1.0 / (r_sq * r_sq * r_sq);
                force += (24.0 * inv_r6 * (2.0 * inv_r6 - 1.0) / r_sq) * d;
            }
        }
        reference.particle.push_back(i);
        reference.force.push_back(force);
    }
    return reference;
}

MeltForceError force_error(ReferenceForces const& reference, State const& state)
{
    MeltForceError error;
    double force_sq = 0.0;
    for (std::size_t n = 0; n < reference.particle.size(); ++n)
    {
        Vec3<double> const expected = reference.force[n];
        auto const index = static_cast<std::size_t>(reference.particle[n]);
        Vec3<double> const difference = state.force[index] - expected;
        error.rms += dot(difference, difference);
        error.largest = std::max(error.largest, std::sqrt(dot(difference, difference)));
        force_sq += dot(expected, expected);
    }
    auto const taken = static_cast<double>(reference.particle.size());
    double const rms_force = std::sqrt(force_sq / taken);
    return {std::sqrt(error.rms / taken) / rms_force, error.largest / rms_force};
}

}  // namespace tessera
