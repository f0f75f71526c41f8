#include "engine/config/precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/arithmetic/compact_position.hpp"
#include "kernels/arithmetic/packing.hpp"

namespace tessera
{
namespace
{

/// What pair arithmetic can hold with room to spare: squares of lengths from a tenth of sigma to
/// some list radii, and forces from the tail to far up the wall. In double it is the squares of
/// volumes, in pressures, that run out first.
struct Limits
{
    char const* name;
    double shortest, longest;  ///< lengths
    double least, most;        ///< coefficients
    double resolution;         ///< of positions, as a share of the longest extent they may need
};

Limits limits_of(Precision precision)
{
    switch (precision)
    {
        case Precision::double_:
            return {"double", 1e-40, 1e40, 1e-120, 1e120, DoublePosition::resolution(1.0)};
        case Precision::single:
            return {"single", 1e-15, 1e14, 1e-30, 1e26, FloatPosition::resolution(1.0)};
        case Precision::mixed:
            break;
    }
    return {"mixed", 1e-15, 1e14, 1e-30, 1e26, FixedPosition::resolution(1.0)};
}

/// Any pair's force changes by at most about this many times its share when the distance does.
double steepness(Config const& config)
{
    double most = 0.0;
    for (ResolvedPair const& pair : resolve_pairs(config))
    {
        most = std::max(most, with_form(pair.type, [&]<template <class> class Form>(FormTag<Form>) {
                            return Form<double>::steepness(pair);
                        }));
    }
    return most;
}

/// An error of a pair's force beyond this is not what anyone means by that precision.
constexpr double most_force_error = 1e-3;

std::string cure(Precision precision)
{
    return precision == Precision::double_
               ? "choose units in which it is nearer to 1"
               : "use force.precision: double, or units in which it is nearer to 1";
}

/// The first number of the pair that the arithmetic cannot hold, as a sentence.
std::string describe_unheld(ResolvedPair const& pair, Config const& config, Limits const& limits)
{
    auto const length = [&](char const* what, double value) {
        return value < limits.shortest || value > limits.longest
                   ? fmt::format("{} is {}; precision {} holds lengths from {} to {}", what, value,
                                 limits.name, limits.shortest, limits.longest)
                   : std::string();
    };
    for (auto const& problem :
         {length("sigma", pair.sigma), length("the cutoff", pair.cutoff),
          length("the cutoff with neighbor.skin", pair.cutoff + config.neighbor.skin)})
    {
        if (!problem.empty())
        {
            return problem;
        }
    }
    auto const c =
        make_coefficients<double>(pair, config.potential.truncation, config.potential.switch_on);
    auto const numbers = with_form(pair.type, [&]<template <class> class Form>(FormTag<Form>) {
        return Form<double>::numbers(pair);
    });
    for (auto const& [what, value] :
         {numbers[0], numbers[1], NamedNumber{"1 / (cutoff^2 - switch_on^2)", c.inv_switch_width}})
    {
        if (value != 0.0 && (value < limits.least || value > limits.most))
        {
            return fmt::format("{} is {:.3g}; precision {} holds {} to {}", what, value,
                               limits.name, limits.least, limits.most);
        }
    }
    // A force that is small at the cutoff may well vanish.
    return c.scaled_force_shift > limits.most
               ? fmt::format(
                     "the force at the cutoff / sigma^2 is {:.3g}; precision {} holds up "
                     "to {}",
                     c.scaled_force_shift, limits.name, limits.most)
               : std::string();
}

/// Positions modulo what the longest list radius needs, beside the smallest sigma.
double position_force_error(Config const& config, Limits const& limits)
{
    double const extent = 4.0 * (max_cutoff(config) + config.neighbor.skin);
    return steepness(config) * limits.resolution * extent / smallest_acting_sigma(config);
}

}  // namespace

std::vector<Problem> check_precision(Config const& config)
{
    Limits const limits = limits_of(config.force.precision);
    auto const& species = config.system.species;
    std::vector<ResolvedPair> const pairs = resolve_pairs(config);
    for (std::size_t first = 0; first < species.size(); ++first)
    {
        for (std::size_t second = first; second < species.size(); ++second)
        {
            std::string const unheld =
                describe_unheld(pairs[first * species.size() + second], config, limits);
            if (!unheld.empty())
            {
                return {{"potential",
                         fmt::format("the pair {}-{}: {}; {}", species[first].name,
                                     species[second].name, unheld, cure(config.force.precision))}};
            }
        }
    }
    double const error = position_force_error(config, limits);
    if (error > most_force_error)
    {
        return {
            {"force.precision",
             fmt::format("is {}, which stores positions within the list radius, {}, to {:.2g} of "
                         "the smallest sigma, {}: forces would be off by {:.2g}; use "
                         "force.precision: double, a smaller neighbor.skin or a shorter cutoff",
                         limits.name, max_cutoff(config) + config.neighbor.skin,
                         error / steepness(config), smallest_acting_sigma(config), error)}};
    }
    return {};
}

double smallest_acting_sigma(Config const& config)
{
    constexpr double none = std::numeric_limits<double>::infinity();
    double acting = none;
    double any = none;
    for (ResolvedPair const& pair : resolve_pairs(config))
    {
        any = std::min(any, pair.sigma);
        acting = pair.epsilon > 0.0 ? std::min(acting, pair.sigma) : acting;
    }
    return acting < none ? acting : any;
}

double packed_force_error(Config const& config)
{
    double const half_step =
        0.5 * max_cutoff(config) * (config.system.species.size() <= 2 ? 0x1p-20 : 0x1p-19);
    return steepness(config) * half_step / smallest_acting_sigma(config);
}

bool packs_chunks(Config const& config)
{
    return config.reorder.format == ChunkFormat::packed &&
           config.system.species.size() <= max_packed_species &&
           packed_force_error(config) <= most_packed_force_error;
}

std::string describe_packing(Config const& config)
{
    bool const asked =
        config.reorder.format == ChunkFormat::packed &&
        config.force.precision != Precision::double_ &&
        (config.force.path == ForcePath::reordered || config.force.path == ForcePath::automatic);
    if (!asked || packs_chunks(config))
    {
        return {};
    }
    return fmt::format(
        "chunks hold floats: packed, with a cutoff {:.3g} times the smallest sigma, "
        "they would err by {:.1g} of a pair's force",
        max_cutoff(config) / smallest_acting_sigma(config), packed_force_error(config));
}

}  // namespace tessera
