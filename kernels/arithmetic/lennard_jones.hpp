#pragma once
/// The Lennard-Jones pair term with its four truncations.
///
/// U(r) = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] for r < cutoff, 0 beyond, and
///   sharp          U
///   shifted        U - U(rc)
///   force_shifted  U - U(rc) + F(rc) (r - rc),  F = -dU/dr
///   switched       U S(r), the XPLOR switch: S = 1 up to r_on, then
///                  (rc^2 - r^2)^2 (rc^2 + 2 r^2 - 3 r_on^2) / (rc^2 - r_on^2)^3
/// Reduced units: epsilon, sigma and the unit mass are 1.

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"

namespace tessera
{

/// What happens to the pair energy at the cutoff.
enum class Truncation : std::uint8_t
{
    sharp,
    shifted,
    force_shifted,
    switched
};

/// One pair's force divided by its distance [epsilon/sigma^2], and its energy [epsilon].
template <class T>
struct PairTerm
{
    T force_over_r;
    T energy;
};

/// What the pair term reads for one pair of species, in the precision of the pair arithmetic.
///
/// Everything is scaled by sigma: powers of r itself would leave float's range where sigma is far
/// from 1.
template <class T>
struct PairCoefficients
{
    T cutoff_sq;           ///< [sigma^2]
    T inside_sq;           ///< pairs count below this [sigma^2]: cutoff_sq, or a little more
                           ///< where every pair is known to be inside; 0 for pairs without
                           ///< an interaction
    T sigma_sq;            ///< of this pair [sigma^2]
    T energy_scale;        ///< 4 epsilon
    T force_12, force_6;   ///< 48 epsilon / sigma^2, 24 epsilon / sigma^2
    T energy_shift;        ///< added to U: -U(rc) when shifted, -U(rc) - F(rc) rc if force-shifted
    T force_shift;         ///< F(rc), force-shifted only
    T scaled_force_shift;  ///< F(rc) / sigma^2, force-shifted only
    T switch_on_sq;        ///< r_on^2, switched only (beyond cutoff_sq otherwise)
    T inv_switch_width;    ///< 1 / (rc^2 - r_on^2), switched only
};

/// Coefficients from epsilon, sigma, the cutoff and r_on; computed in double, rounded once.
template <class T>
PairCoefficients<T> make_coefficients(double epsilon, double sigma, double cutoff,
                                      Truncation truncation, double switch_on)
{
    double const sigma_sq = sigma * sigma;
    double const s6 = std::pow(cutoff / sigma, -6.0);
    double const energy_at_cutoff = 4.0 * epsilon * (s6 * s6 - s6);
    double const force_at_cutoff = (48.0 * epsilon * s6 * s6 - 24.0 * epsilon * s6) / cutoff;
    double const cutoff_sq = cutoff * cutoff;

    PairCoefficients<T> c{};
    c.cutoff_sq = static_cast<T>(cutoff_sq);
    c.inside_sq = c.cutoff_sq;
    c.sigma_sq = static_cast<T>(sigma_sq);
    c.energy_scale = static_cast<T>(4.0 * epsilon);
    c.force_12 = static_cast<T>(48.0 * epsilon / sigma_sq);
    c.force_6 = static_cast<T>(24.0 * epsilon / sigma_sq);
    c.switch_on_sq = static_cast<T>(2.0 * cutoff_sq);
    switch (truncation)
    {
        case Truncation::sharp:
            break;
        case Truncation::shifted:
            c.energy_shift = static_cast<T>(-energy_at_cutoff);
            break;
        case Truncation::force_shifted:
            c.energy_shift = static_cast<T>(-energy_at_cutoff - force_at_cutoff * cutoff);
            c.force_shift = static_cast<T>(force_at_cutoff);
            c.scaled_force_shift = static_cast<T>(force_at_cutoff / sigma_sq);
            break;
        case Truncation::switched:
            c.switch_on_sq = static_cast<T>(switch_on * switch_on);
            c.inv_switch_width = static_cast<T>(1.0 / (cutoff_sq - switch_on * switch_on));
            break;
    }
    return c;
}

/// a / b, b normal. The device's reciprocal takes one instruction where its division takes eight.
template <class T>
TESSERA_HD T ratio(T a, T b)
{
#if defined(__CUDA_ARCH__)
    return a * (T(1) / b);
#else
    return a / b;
#endif
}

/// The pair term at squared distance `r_sq` [sigma^2], 0 < r_sq, of a pair known to be inside the
/// cutoff.
template <Truncation truncation, class T>
TESSERA_HD PairTerm<T> pair_term_inside(T r_sq, PairCoefficients<T> const& c)
{
    T const s2 = ratio(c.sigma_sq, r_sq);  // (sigma/r)^2
    T const s6 = s2 * s2 * s2;
    T force_over_r = s6 * (c.force_12 * s6 - c.force_6) * s2;
    T energy = s6 * (c.energy_scale * s6 - c.energy_scale) + c.energy_shift;
    if constexpr (truncation == Truncation::force_shifted)
    {
        T const r = std::sqrt(r_sq);
        force_over_r -= c.scaled_force_shift * (r * s2);
        energy += c.force_shift * r;
    }
    if constexpr (truncation == Truncation::switched)
    {
        // Shares of rc^2 - r_on^2: 1 and 0 where the switch begins, 0 and 1 at the cutoff.
        T const to_cutoff = (c.cutoff_sq - r_sq) * c.inv_switch_width;
        T const from_on = (r_sq - c.switch_on_sq) * c.inv_switch_width;
        T const switching = to_cutoff * to_cutoff * (to_cutoff + T(3) * from_on);
        // -dS/dr / r
        T const slope = T(12) * to_cutoff * from_on * c.inv_switch_width;
        bool const on = r_sq > c.switch_on_sq;
        force_over_r = on ? force_over_r * switching + energy * slope : force_over_r;
        energy = on ? energy * switching : energy;
    }
    return {force_over_r, energy};
}

/// The pair term at any squared distance; exactly zero at and beyond inside_sq, which is how a
/// row's padding and a particle's own slot drop out. At r_sq == 0 it is not finite: two particles
/// at one place must not pass for padding.
template <Truncation truncation, class T>
TESSERA_HD PairTerm<T> pair_term(T r_sq, PairCoefficients<T> const& c)
{
    PairTerm<T> const term = pair_term_inside<truncation>(r_sq, c);
    bool const inside = r_sq < c.inside_sq;
    return {inside ? term.force_over_r : T(0), inside ? term.energy : T(0)};
}

/// The potential of a one-species system: one set of coefficients, known at compile time which cut.
/// `truncation` is sharp (also for shifted: the coefficients carry the shift), force_shifted or
/// switched.
template <class T, Truncation truncation>
struct LennardJones
{
    using Real = T;
    PairCoefficients<T> coefficients;

    TESSERA_HD PairTerm<T> operator()(T r_sq, int /*species*/, int /*neighbor_species*/) const
    {
        return pair_term<truncation>(r_sq, coefficients);
    }
    /// Without the test, for pairs known to be inside the cutoff.
    TESSERA_HD PairTerm<T> inside(T r_sq) const
    {
        return pair_term_inside<truncation>(r_sq, coefficients);
    }
};

/// The potential of several species: a symmetric table [species][species] and one branch, the same
/// for every pair of a run, on the truncation.
template <class T>
struct LennardJonesMixture
{
    using Real = T;
    PairCoefficients<T> const* table;
    int species_count;
    Truncation truncation;

    TESSERA_HD PairTerm<T> operator()(T r_sq, int species, int neighbor_species) const
    {
        PairCoefficients<T> const& c = table[species * species_count + neighbor_species];
        if (truncation == Truncation::force_shifted)
        {
            return pair_term<Truncation::force_shifted>(r_sq, c);
        }
        if (truncation == Truncation::switched)
        {
            return pair_term<Truncation::switched>(r_sq, c);
        }
        return pair_term<Truncation::sharp>(r_sq, c);
    }
};

}  // namespace tessera
