#pragma once
/// How far energy and virial of a system may lie from exact sums, from how its pair arithmetic
/// rounds.

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera::test
{

/// Bound on the length of the error of one displacement [sigma].
///
/// A component of a periodic box's displacement errs by: double, the rounding of two coordinates;
/// mixed, half a step of 2^-32 edges for each of two coordinates and three float roundings (of the
/// step, the conversion and the product); single, half an ulp for each of two float coordinates
/// and one for the fold. A packed slot adds half its step of cutoff / 2^20 (2^19 beyond two
/// species), and float roundings of a scaled value of up to 2^20 steps, a quarter step in all.
inline double displacement_error(Config const& config, Box const& box)
{
    double const edge = std::max({box.edges.x, box.edges.y, box.edges.z});
    double const cutoff = max_cutoff(config);
    double error = 0.0;
    switch (config.force.precision)
    {
        case Precision::double_:
            return std::sqrt(3.0) * 2.0 * std::numeric_limits<double>::epsilon() * edge;
        case Precision::mixed:
            error = edge * std::ldexp(1.0, -32) + 3.0 * std::ldexp(1.0, -24) * cutoff;
            break;
        case Precision::single:
            error = 3.0 * edge * std::ldexp(1.0, -24);
            break;
    }
    if (config.force.path == ForcePath::reordered && config.reorder.format == ChunkFormat::packed)
    {
        error +=
            0.75 * cutoff * (config.system.species.size() > 2 ? 2.0 : 1.0) * std::ldexp(1.0, -20);
    }
    return std::sqrt(3.0) * error;
}

struct Tolerance
{
    double energy = 0.0, virial = 0.0;  ///< whole system [epsilon]
};

/// Worst case over all pairs of a one-species system: |dU/dr| and |d(rF)/dr| times the error of the
/// distance, some 24 roundings of the powers (relative to the terms, which cancel), and, within the
/// error of the cutoff, the pair's whole value.
inline Tolerance sum_tolerance(Config const& config, State const& state)
{
    double const error = displacement_error(config, state.box);
    double const rounding = 12.0 * (config.force.precision == Precision::double_
                                        ? std::numeric_limits<double>::epsilon()
                                        : double{std::numeric_limits<float>::epsilon()});
    double const cutoff = max_cutoff(config);
    Tolerance tolerance;
    for (std::size_t i = 0; i < state.position.size(); ++i)
    {
        for (std::size_t j = i + 1; j < state.position.size(); ++j)
        {
            auto const d = minimum_image(state.position[i] - state.position[j], state.box);
            double const r = std::sqrt(dot(d, d));
            if (r > cutoff + error)
            {
                continue;
            }
            double const r6 = std::pow(r, -6.0);
            double const r12 = r6 * r6;
            double const share = r > cutoff - error ? 1.0 : 0.0;
            // The shifts of energy and force are at most 0.1 within a cutoff of 2.5 or more.
            tolerance.energy += error * (std::abs(48.0 * r12 - 24.0 * r6) / r + 0.1) +
                                rounding * (4.0 * (r12 + r6) + 0.1) + share * 4.0 * r6;
            tolerance.virial += error * (std::abs(576.0 * r12 - 144.0 * r6) / r + 0.1) +
                                rounding * (48.0 * r12 + 24.0 * r6 + 0.1) + share * 24.0 * r6;
        }
    }
    return tolerance;
}

}  // namespace tessera::test
