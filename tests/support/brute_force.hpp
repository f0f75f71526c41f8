#pragma once
/// The oracle: every pair in double, O(N^2), straight from the formulas.

#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/observables.hpp"
#include "engine/state/state.hpp"

namespace tessera::test
{

struct Reference
{
    std::vector<Vec3<double>> force;  ///< [particle] in id order
    double potential_energy = 0.0;
    SymmetricTensor virial{};
    std::vector<std::uint64_t> pairs;  ///< [bin] of [0, cutoff)
    double max_force = 0.0;            ///< largest pair force in magnitude, for tolerances
    double energy_scale = 0.0;         ///< sum of |pair energies|
    double virial_scale = 0.0;         ///< sum of |r F|
};

/// U and F = -dU/dr of one pair, written from the definitions and not from the engine's form.
inline std::pair<double, double> pair_energy_and_force(double r, ResolvedPair const& pair,
                                                       Truncation truncation, double switch_on)
{
    double const n = pair.n;
    double const m = pair.m;
    double const c =
        pair.epsilon * n / (n - m) * std::exp(m / (n - m) * (std::log(n) - std::log(m)));
    bool const mie = pair.type == PotentialType::mie;
    auto const u = [&](double x) {
        if (mie)
        {
            return c * (std::pow(pair.sigma / x, n) - std::pow(pair.sigma / x, m));
        }
        double const s6 = std::pow(pair.sigma / x, 6.0);
        return 4.0 * pair.epsilon * (s6 * s6 - s6);
    };
    auto const f = [&](double x) {
        if (mie)
        {
            return c * (n * std::pow(pair.sigma / x, n) - m * std::pow(pair.sigma / x, m)) / x;
        }
        double const s6 = std::pow(pair.sigma / x, 6.0);
        return 24.0 * pair.epsilon * (2.0 * s6 * s6 - s6) / x;
    };
    double const rc = pair.cutoff;
    if (r >= rc)
    {
        return {0.0, 0.0};
    }
    switch (truncation)
    {
        case Truncation::shifted:
            return {u(r) - u(rc), f(r)};
        case Truncation::force_shifted:
            return {u(r) - u(rc) + f(rc) * (r - rc), f(r) - f(rc)};
        case Truncation::switched:
            if (r > switch_on)
            {
                double const a = rc * rc - r * r;
                double const width = rc * rc - switch_on * switch_on;
                double const s = a * a * (rc * rc + 2.0 * r * r - 3.0 * switch_on * switch_on) /
                                 (width * width * width);
                double const ds =
                    12.0 * r * a * (switch_on * switch_on - r * r) / (width * width * width);
                return {u(r) * s, f(r) * s - u(r) * ds};
            }
            return {u(r), f(r)};
        case Truncation::sharp:
            break;
    }
    return {u(r), f(r)};
}

inline Reference brute_force(Config const& config, State const& state, int bins)
{
    auto const pairs = resolve_pairs(config);
    std::size_t const species_count = config.system.species.size();
    double const range = min_cutoff(config);
    std::size_t const n = state.position.size();
    Reference reference;
    reference.force.assign(n, {});
    reference.pairs.assign(static_cast<std::size_t>(bins), 0);
    for (std::size_t i = 0; i < n; ++i)
    {
        for (std::size_t j = i + 1; j < n; ++j)
        {
            auto const d = minimum_image(state.position[i] - state.position[j], state.box);
            double const r = std::sqrt(dot(d, d));
            if (r < range)
            {
                ++reference.pairs[static_cast<std::size_t>(r / range * bins)];
            }
            ResolvedPair const& pair =
                pairs[static_cast<std::size_t>(state.species[i]) * species_count +
                      static_cast<std::size_t>(state.species[j])];
            auto const [u, f] = pair_energy_and_force(r, pair, config.potential.truncation,
                                                      config.potential.switch_on);
            Vec3<double> const force = (f / r) * d;
            reference.force[i] += force;
            reference.force[j] += -1.0 * force;
            reference.potential_energy += u;
            reference.virial[0] += d.x * force.x;
            reference.virial[1] += d.x * force.y;
            reference.virial[2] += d.x * force.z;
            reference.virial[3] += d.y * force.y;
            reference.virial[4] += d.y * force.z;
            reference.virial[5] += d.z * force.z;
            reference.max_force = std::max(reference.max_force, std::abs(f));
            reference.energy_scale += std::abs(u);
            reference.virial_scale += std::abs(f) * r;
        }
    }
    return reference;
}

}  // namespace tessera::test
