#include "engine/state/observables.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace tessera
{

namespace
{

/// A drift that holds less than this share of the kinetic energy is rounding, or too little to say.
constexpr double notable_drift = 1e-4;

/// From pairs counted from both sides.
SymmetricTensor virial_of(EnergySum const& sum)
{
    return {0.5 * sum.xx, 0.5 * sum.xy, 0.5 * sum.xz, 0.5 * sum.yy, 0.5 * sum.yz, 0.5 * sum.zz};
}

}  // namespace

Sample make_sample(EnergySum const& pairs, std::optional<EnergySum> const& sharp,
                   KineticSum const& kinetic, PairMeans const& pair_sums)
{
    Sample sample;
    sample.potential_energy = 0.5 * pairs.energy;
    sample.virial = virial_of(pairs);
    sample.kinetic = {kinetic.xx, kinetic.xy, kinetic.xz, kinetic.yy, kinetic.yz, kinetic.zz};
    sample.momentum = kinetic.momentum;
    sample.pair_sums = pair_sums;
    if (sharp)
    {
        sample.sharp_potential_energy = 0.5 * sharp->energy;
        sample.sharp_virial = virial_of(*sharp);
    }
    return sample;
}

PairObservableSettings pair_settings(Config const& config)
{
    std::optional<ThermoConfig> const& thermo = config.output.thermo;
    return {thermo ? thermo->coordination.value_or(0.0) : 0.0,
            std::numeric_limits<double>::infinity()};
}

Observables quantities_of(Config const& config, Box const& box)
{
    Observables quantities;
    if (has_volume(box))
    {
        quantities.pressure = 0.0;
        quantities.pressure_tensor.emplace();
        quantities.density = 0.0;
    }
    if (config.potential.tail_correction)
    {
        quantities.tail.emplace();
    }
    for (std::size_t place = 0; place < pair_observable_count; ++place)
    {
        if (is_wanted(place, pair_settings(config)))
        {
            quantities.pair_means[place] = 0.0;
        }
    }
    return quantities;
}

bool has_volume(Box const& box)
{
    return box.periodic(0) && box.periodic(1) && box.periodic(2);
}

std::int64_t degrees_of_freedom(std::int64_t particle_count)
{
    return particle_count > 1 ? 3 * particle_count - 3 : 3 * particle_count;
}

TailCorrection tail_integrals(std::vector<ResolvedPair> const& pairs,
                              std::vector<std::int64_t> const& particles_of_species, double volume)
{
    std::size_t const species_count = particles_of_species.size();
    double particles = 0.0;
    for (std::int64_t const count : particles_of_species)
    {
        particles += static_cast<double>(count);
    }
    TailCorrection tail;
    for (std::size_t a = 0; a < species_count; ++a)
    {
        for (std::size_t b = 0; b < species_count; ++b)
        {
            ResolvedPair const& pair = pairs[a * species_count + b];
            // Pairs of species a and b per volume of the pair's separation, each from one side.
            double const pair_density = static_cast<double>(particles_of_species[a]) *
                                        static_cast<double>(particles_of_species[b]) / volume;
            with_form(pair.type, [&]<template <class> class Form>(FormTag<Form>) {
                PairTail const beyond = Form<double>::tail(pair, pair_density, volume);
                tail.energy += beyond.energy / particles;
                tail.pressure += beyond.pressure;
            });
        }
    }
    return tail;
}

Observables make_observables(Sample const& sample, State const& state,
                             std::optional<TailCorrection> const& sharp_tail)
{
    auto const particles = static_cast<double>(state.particle_count());
    Observables o;
    o.step = state.step;
    o.time = state.time;
    o.temperature =
        trace(sample.kinetic) / static_cast<double>(degrees_of_freedom(state.particle_count()));
    if (has_volume(state.box))
    {
        SymmetricTensor& tensor = o.pressure_tensor.emplace();
        for (std::size_t component = 0; component < 6; ++component)
        {
            tensor[component] =
                (sample.kinetic[component] + sample.virial[component]) / state.box.volume();
        }
        o.pressure = trace(tensor) / 3.0;
        o.density = state.density();
    }
    o.potential_energy = sample.potential_energy / particles;
    o.kinetic_energy = 0.5 * trace(sample.kinetic) / particles;
    o.total_energy = o.potential_energy + o.kinetic_energy;
    o.momentum = sample.momentum;
    for (std::size_t place = 0; place < pair_observable_count; ++place)
    {
        if (sample.pair_sums[place])
        {
            o.pair_means[place] = *sample.pair_sums[place] / particles;
        }
    }
    if (sharp_tail)
    {
        o.tail = TailCorrection{
            sharp_tail->energy +
                (sample.sharp_potential_energy - sample.potential_energy) / particles,
            sharp_tail->pressure +
                (trace(sample.sharp_virial) - trace(sample.virial)) / (3.0 * state.box.volume())};
    }
    return o;
}

std::vector<std::string> notices_of_start(State const& state, Observables const& start)
{
    std::vector<std::string> notices;
    double mass = 0.0;
    for (std::int32_t const species : state.species)
    {
        mass += state.species_mass[static_cast<std::size_t>(species)];
    }
    auto const particles = static_cast<double>(state.particle_count());
    double const momentum = std::sqrt(dot(start.momentum, start.momentum));
    double const drift_energy = 0.5 * momentum * momentum / mass / particles;
    if (particles > 1.0 && drift_energy > notable_drift * start.kinetic_energy)
    {
        notices.push_back(fmt::format(
            "the start drifts as a whole at speed {:.4g}: the temperature is {:.5g} with the drift "
            "in it, {:.5g} without; take the mean velocity out of the start, or give "
            "system.temperature",
            momentum / mass, start.temperature,
            start.temperature * (1.0 - drift_energy / start.kinetic_energy)));
    }
    if (!has_volume(state.box))
    {
        notices.push_back(
            "an axis is open, so the system has no volume: pressure and g(r) are left empty, pair "
            "counts are kept");
    }
    return notices;
}

std::vector<double> Rdf::radius() const
{
    std::vector<double> r(pairs.size());
    for (std::size_t bin = 0; bin < r.size(); ++bin)
    {
        r[bin] = (static_cast<double>(bin) + 0.5) * range / static_cast<double>(r.size());
    }
    return r;
}

std::vector<double> Rdf::value() const
{
    if (samples > 0 && pair_density_sum == 0.0)
    {
        return {};
    }
    std::vector<double> g(pairs.size());
    double const width = range / static_cast<double>(g.size());
    for (std::size_t bin = 0; bin < g.size(); ++bin)
    {
        double const inner = static_cast<double>(bin) * width;
        double const outer = inner + width;
        double const shell =
            4.0 / 3.0 * std::numbers::pi * (outer * outer * outer - inner * inner * inner);
        g[bin] = pair_density_sum > 0.0
                     ? static_cast<double>(pairs[bin]) / (shell * pair_density_sum)
                     : 0.0;
    }
    return g;
}

}  // namespace tessera
