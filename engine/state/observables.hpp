#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"
#include "kernels/arithmetic/vec3.hpp"
#include "kernels/force/consumers.hpp"
#include "kernels/force/pair_observables.hpp"
#include "kernels/motion/integrate.hpp"

namespace tessera
{

/// A symmetric tensor in the order xx xy xz yy yz zz.
using SymmetricTensor = std::array<double, 6>;

inline double trace(SymmetricTensor const& t)
{
    return t[0] + t[3] + t[5];
}

/// Of each of kernels/force/pair_observables.hpp, where the run asks for it.
using PairMeans = std::array<std::optional<double>, pair_observable_count>;

/// Sums over the system that a backend hands up; everything else follows from them.
struct Sample
{
    double potential_energy = 0.0;  ///< of the truncated potential, whole system [epsilon]
    SymmetricTensor virial{};       ///< sum over pairs of r_a F_b [epsilon]
    SymmetricTensor kinetic{};      ///< sum over particles of m v_a v_b [epsilon]
    Vec3<double> momentum{};        ///< [m sigma/tau]

    /// The same sums for the sharply cut potential at the same positions, for the tail correction;
    /// only when the run asks for it.
    double sharp_potential_energy = 0.0;
    SymmetricTensor sharp_virial{};

    PairMeans pair_sums;  ///< over pairs from both sides, whole system
};

/// A sample from a backend's sums: over pairs, each from both sides, over those of the sharp cut if
/// the run asks for it, over particles, and of the other pair observables.
Sample make_sample(EnergySum const& pairs, std::optional<EnergySum> const& sharp,
                   KineticSum const& kinetic, PairMeans const& pair_sums);

/// What the neglected tail would add, so that truncated + tail estimates the full potential, for
/// every truncation: the exact difference to the sharp cut inside the cutoff, and the integral with
/// g(r) = 1 beyond it.
struct TailCorrection
{
    double energy = 0.0;    ///< per particle [epsilon]
    double pressure = 0.0;  ///< [epsilon/sigma^3]
};

/// One sampled state of the whole system; energies are per particle.
struct Observables
{
    std::int64_t step = 0;
    double time = 0.0;         ///< [tau]
    double temperature = 0.0;  ///< 2 K / (degrees of freedom) [epsilon/k]
    /// Trace of pressure_tensor / 3 [epsilon/sigma^3]; both are absent where has_volume() says so.
    std::optional<double> pressure;
    std::optional<SymmetricTensor> pressure_tensor;
    double potential_energy = 0.0;  ///< per particle, truncated potential [epsilon]
    double kinetic_energy = 0.0;    ///< per particle [epsilon]
    double total_energy = 0.0;      ///< per particle; what NVE conserves [epsilon]
    Vec3<double> momentum{};        ///< whole system [m sigma/tau]
    std::optional<TailCorrection> tail;
    std::optional<double> density;  ///< [sigma^-3], where there is a volume
    PairMeans pair_means;           ///< per particle

    std::optional<double>& pair_mean(PairObservable which)
    {
        return pair_means[static_cast<std::size_t>(which)];
    }
    std::optional<double> pair_mean(PairObservable which) const
    {
        return pair_means[static_cast<std::size_t>(which)];
    }
};

/// What the pair observables of a run need to know.
PairObservableSettings pair_settings(Config const& config);

/// Observables with every quantity that samples of a run in `box` have, and no values.
Observables quantities_of(Config const& config, Box const& box);

/// Whether the box has a volume: along an open axis nothing bounds the particles, and the edge is
/// nominal, so that density, pressure and g(r) have no meaning.
bool has_volume(Box const& box);

/// 3N - 3 with conserved momentum; a single particle keeps its 3.
std::int64_t degrees_of_freedom(std::int64_t particle_count);

/// The integrals beyond the cutoff with g(r) = 1, summed over pairs of species:
/// energy per particle [epsilon] and pressure [epsilon/sigma^3] of the sharp cut.
TailCorrection tail_integrals(std::vector<ResolvedPair> const& pairs,
                              std::vector<std::int64_t> const& particles_of_species, double volume);

/// Everything that follows from a sample: temperature, pressure tensor P = (sum m v v + virial) /
/// V.
Observables make_observables(Sample const& sample, State const& state,
                             std::optional<TailCorrection> const& sharp_tail);

/// What a user should know of the start, one sentence each: that the whole system drifts, so that
/// its temperature holds more than heat; that an open axis leaves it without volume.
std::vector<std::string> notices_of_start(State const& state, Observables const& start);

/// g(r) accumulated over samples: pair counts in equal bins of [0, range).
struct Rdf
{
    double range = 0.0;                ///< [sigma]
    std::vector<std::uint64_t> pairs;  ///< [bin], every pair once, all species together
    std::int64_t samples = 0;
    double pair_density_sum = 0.0;  ///< sum over samples of N (N - 1) / 2 / V [sigma^-3]; 0 where
                                    ///< the box has no volume

    /// Bin centers [sigma].
    std::vector<double> radius() const;
    /// g(r) [bin]: counts over what an ideal gas of N particles would have; empty where the box has
    /// no volume.
    std::vector<double> value() const;
};

}  // namespace tessera
