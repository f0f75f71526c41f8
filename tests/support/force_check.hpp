#pragma once
/// One body for every backend: forces, energy, virial and pair counts against brute force.

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/backend/backend.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

namespace tessera::test
{

inline constexpr int bins = 50;

struct Variant
{
    std::string name;
    ForcePath path;
    Precision precision;
    ChunkFormat format;
    Rebuild rebuild;
    double skin;
    std::optional<std::int64_t> chunk_particles;  ///< of the path reordered; none: auto
};

inline std::vector<Variant> variants()
{
    std::vector<Variant> all;
    for (auto const& [path, path_name] :
         {std::pair{ForcePath::gather, "gather"}, std::pair{ForcePath::shoc, "shoc"},
          std::pair{ForcePath::reordered, "reordered"}})
    {
        for (auto const& [precision, precision_name] :
             {std::pair{Precision::mixed, "mixed"}, std::pair{Precision::double_, "double"},
              std::pair{Precision::single, "single"}})
        {
            for (auto const& [format, chunk_particles, chunks_name] :
                 {std::tuple{ChunkFormat::packed, std::optional<std::int64_t>(64), " packed"},
                  std::tuple{ChunkFormat::plain, std::optional<std::int64_t>(64), " plain"},
                  std::tuple{ChunkFormat::packed, std::optional<std::int64_t>(), " packed, auto"},
                  std::tuple{ChunkFormat::plain, std::optional<std::int64_t>(), " plain, auto"}})
            {
                if (path != ForcePath::reordered &&
                    !(format == ChunkFormat::packed && chunk_particles))
                {
                    continue;
                }
                for (auto const& [rebuild, skin] :
                     {std::pair{Rebuild::every_step, 0.0}, std::pair{Rebuild::every_step, 0.3},
                      std::pair{Rebuild::on_displacement, 0.3}})
                {
                    all.push_back(
                        {std::string(path_name) + " " + precision_name + chunks_name +
                             (rebuild == Rebuild::every_step ? " every_step" : " on_displacement") +
                             " skin " + (skin > 0 ? "0.3" : "0"),
                         path, precision, format, rebuild, skin, chunk_particles});
                }
            }
        }
    }
    return all;
}

inline void apply(Variant const& variant, Config& config)
{
    config.force = {variant.path, variant.precision};
    config.reorder.format = variant.format;
    config.reorder.chunk_particles = variant.chunk_particles;
    config.neighbor = {variant.rebuild, variant.skin};
}

/// Relative error of one displacement [sigma / cutoff], by how positions and chunks store it,
/// wherever the particles are.
///
/// double: rounding of coordinates. mixed: 32-bit fractions of extents, which never lose more than
/// float does at sigma, and three float roundings. single: three roundings of a float coordinate
/// modulo an extent that no search makes longer than 16 list radii, or the edge if that is shorter.
/// packed: a step of cutoff 2^-19 or 2^-20, half of it by rounding, a species bit costing one more.
inline double displacement_error(Variant const& variant, System const& system)
{
    State const& state = system.state;
    double const radius = max_cutoff(system.config) + variant.skin;
    double extent = 0.0;
    double largest = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double const edge = state.box.edges[axis];
        extent = std::max(extent,
                          state.box.periodic(axis) ? std::min(edge, 16.0 * radius) : 16.0 * radius);
        largest = std::max(largest, edge);
        for (Vec3<double> const& position : state.position)
        {
            largest = std::max(largest, std::abs(position[axis]));
        }
    }
    double error = 0.0;
    switch (variant.precision)
    {
        case Precision::double_:
            return largest * std::numeric_limits<double>::epsilon();
        case Precision::mixed:
            error = 3.5 * std::ldexp(1.0, -24);
            break;
        case Precision::single:
            error = 3.0 * extent * std::ldexp(1.0, -24);
            break;
    }
    if (variant.path == ForcePath::reordered && variant.format == ChunkFormat::packed)
    {
        error += 2.5 * std::ldexp(1.0, -20);
    }
    return error;
}

/// `make` gives a backend for a config; `reference` is brute_force() of the system.
template <class MakeBackend>
void check_against_reference(MakeBackend const& make, Variant const& variant, System system,
                             Reference const& reference)
{
    apply(variant, system.config);
    // Neighbors within the first bins.
    constexpr int near_bins = 30;
    system.config.output.thermo.emplace().coordination =
        min_cutoff(system.config) * near_bins / bins;
    auto const backend = make(system.config);
    backend->load(system.state);
    State result = system.state;
    backend->save(result);
    Sample const sample = backend->sample();
    std::vector<std::uint64_t> pairs(bins, 0);
    backend->count_pairs(pairs);

    INFO(system.name << ", " << variant.name);
    // |dF/dr| of Lennard-Jones is at most about 14 F / r at the distances that occur (r > 0.7); an
    // error of a displacement moves a pair force by that, and float rounding by some 20 ulp.
    double const rounding = variant.precision == Precision::double_
                                ? std::numeric_limits<double>::epsilon()
                                : static_cast<double>(std::numeric_limits<float>::epsilon());
    double const relative = 20.0 * displacement_error(variant, system) + 20.0 * rounding;
    // A pair within the rounding of the cutoff may fall on either side of a sharp cut; the test
    // systems have none that close in double.
    double const force_tolerance = relative * (reference.max_force + 24.0) * 4.0;
    double worst = 0.0;
    for (std::size_t i = 0; i < result.force.size(); ++i)
    {
        auto const error = result.force[i] - reference.force[i];
        worst = std::max(worst, std::sqrt(dot(error, error)));
    }
    CHECK(worst <= force_tolerance);
    CHECK(std::abs(sample.potential_energy - reference.potential_energy) <=
          relative * (reference.energy_scale + reference.virial_scale));
    for (std::size_t component = 0; component < 6; ++component)
    {
        CHECK(std::abs(sample.virial[component] - reference.virial[component]) <=
              relative * (20.0 * reference.virial_scale + 1.0));
    }
    std::uint64_t moved = 0;
    std::uint64_t total = 0;
    std::uint64_t expected_total = 0;
    for (std::size_t bin = 0; bin < pairs.size(); ++bin)
    {
        moved += pairs[bin] > reference.pairs[bin] ? pairs[bin] - reference.pairs[bin]
                                                   : reference.pairs[bin] - pairs[bin];
        total += pairs[bin];
        expected_total += reference.pairs[bin];
    }
    // Rounding may carry a pair over the edge of a bin, and in a perfect lattice whole shells.
    if (system.name != "particles exactly on faces")
    {
        double const crossings =
            4.0 * bins * displacement_error(variant, system) * static_cast<double>(expected_total) +
            2.0;
        CHECK(static_cast<double>(moved) <=
              (variant.precision == Precision::double_ ? 0.0 : crossings));
        double const near =
            std::accumulate(reference.pairs.begin(), reference.pairs.begin() + near_bins, 0.0);
        double const counted =
            0.5 * sample.pair_sums[static_cast<std::size_t>(PairObservable::coordination)].value();
        CHECK(std::abs(counted - near) <=
              (variant.precision == Precision::double_ ? 0.0 : crossings));
    }
    CHECK(std::abs(static_cast<double>(total) - static_cast<double>(expected_total)) <= 2.0);
}

template <class MakeBackend>
void check_variants(MakeBackend const& make, System const& system)
{
    Reference const reference = brute_force(system.config, system.state, bins);
    for (Variant const& variant : variants())
    {
        check_against_reference(make, variant, system, reference);
    }
}

}  // namespace tessera::test
