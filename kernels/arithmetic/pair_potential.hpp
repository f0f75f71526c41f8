#pragma once
/// Pair potentials: a form, and what happens to it at the cutoff, apart.
///
///   sharp          U
///   shifted        U - U(rc)
///   force_shifted  U - U(rc) + F(rc) (r - rc),  F = -dU/dr
///   switched       U S(r), the XPLOR switch: S = 1 up to r_on, then
///                  (rc^2 - r^2)^2 (rc^2 + 2 r^2 - 3 r_on^2) / (rc^2 - r_on^2)^3
///
/// for r < cutoff, 0 beyond. with_form() is the one list of forms: from it, truncations and one or
/// many species every kernel is instantiated.

#include <type_traits>

#include "kernels/arithmetic/lennard_jones.hpp"
#include "kernels/arithmetic/mie.hpp"

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

/// A form as a value that functions are called with.
template <template <class> class F>
struct FormTag
{
    template <class T>
    using Form = F<T>;
};

/// Calls `use` with the FormTag of `type`.
template <class Use>
decltype(auto) with_form(PotentialType type, Use const& use)
{
    switch (type)
    {
        case PotentialType::mie:
            return use(FormTag<Mie>{});
        case PotentialType::lennard_jones:
            break;
    }
    return use(FormTag<LennardJones>{});
}

/// What the pair term reads for one pair of species, in the precision of the pair arithmetic.
template <class T>
struct PairCoefficients
{
    T cutoff_sq;  ///< [sigma^2]
    T inside_sq;  ///< pairs count below this [sigma^2]: cutoff_sq, or a little more
                  ///< where every pair is known to be inside; 0 for pairs without
                  ///< an interaction
    T sigma_sq;   ///< of this pair [sigma^2]
    union
    {
        LennardJones<T> lennard_jones;
        Mie<T> mie;
    };
    T energy_shift;        ///< added to U: -U(rc) when shifted, -U(rc) - F(rc) rc if force-shifted
    T force_shift;         ///< F(rc), force-shifted only
    T scaled_force_shift;  ///< F(rc) / sigma^2, force-shifted only
    T switch_on_sq;        ///< r_on^2, switched only (beyond cutoff_sq otherwise)
    T inv_switch_width;    ///< 1 / (rc^2 - r_on^2), switched only

    template <template <class> class Form>
    TESSERA_HD auto& form()
    {
        return pick<Form>(*this);
    }
    template <template <class> class Form>
    TESSERA_HD auto const& form() const
    {
        return pick<Form>(*this);
    }

private:
    template <template <class> class Form, class Self>
    TESSERA_HD static auto& pick(Self& self)
    {
        if constexpr (std::is_same_v<Form<T>, Mie<T>>)
        {
            return self.mie;
        }
        else
        {
            return self.lennard_jones;
        }
    }
};

/// Coefficients of one pair, switched from `switch_on`; computed in double, rounded once.
template <class T>
PairCoefficients<T> make_coefficients(PairParameters const& pair, Truncation truncation,
                                      double switch_on)
{
    double const sigma_sq = pair.sigma * pair.sigma;
    double const cutoff_sq = pair.cutoff * pair.cutoff;
    PairCoefficients<T> c{};
    PairPoint at_cutoff{};
    with_form(pair.type, [&]<template <class> class Form>(FormTag<Form>) {
        c.template form<Form>() = Form<T>::make(pair);
        at_cutoff = Form<T>::at(pair, pair.cutoff);
    });
    c.cutoff_sq = static_cast<T>(cutoff_sq);
    c.inside_sq = c.cutoff_sq;
    c.sigma_sq = static_cast<T>(sigma_sq);
    c.switch_on_sq = static_cast<T>(2.0 * cutoff_sq);
    switch (truncation)
    {
        case Truncation::sharp:
            break;
        case Truncation::shifted:
            c.energy_shift = static_cast<T>(-at_cutoff.energy);
            break;
        case Truncation::force_shifted: {
            double const force = at_cutoff.force;
            c.energy_shift = static_cast<T>(-at_cutoff.energy - force * pair.cutoff);
            c.force_shift = static_cast<T>(force);
            c.scaled_force_shift = static_cast<T>(force / sigma_sq);
            break;
        }
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
template <template <class> class Form, Truncation truncation, class T>
TESSERA_HD PairTerm<T> pair_term_inside(T r_sq, PairCoefficients<T> const& c)
{
    T const s2 = ratio(c.sigma_sq, r_sq);  // (sigma/r)^2
    PairTerm<T> const bare = c.template form<Form>().term(s2);
    T force_over_r = bare.force_over_r;
    T energy = bare.energy + c.energy_shift;
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
template <template <class> class Form, Truncation truncation, class T>
TESSERA_HD PairTerm<T> pair_term(T r_sq, PairCoefficients<T> const& c)
{
    PairTerm<T> const term = pair_term_inside<Form, truncation>(r_sq, c);
    bool const inside = r_sq < c.inside_sq;
    return {inside ? term.force_over_r : T(0), inside ? term.energy : T(0)};
}

/// The potential of a one-species system: one set of coefficients. `truncation` is sharp (also for
/// shifted: the coefficients carry the shift), force_shifted or switched, as below.
template <template <class> class Form, class T, Truncation truncation>
struct UniformPotential
{
    using Real = T;
    static constexpr bool one_species = true;
    PairCoefficients<T> coefficients;

    TESSERA_HD PairTerm<T> operator()(T r_sq, int /*species*/, int /*neighbor_species*/) const
    {
        return pair_term<Form, truncation>(r_sq, coefficients);
    }
    /// Without the test, for pairs known to be inside the cutoff.
    TESSERA_HD PairTerm<T> inside(T r_sq, int /*species*/, int /*neighbor_species*/) const
    {
        return pair_term_inside<Form, truncation>(r_sq, coefficients);
    }
};

/// The potential of several species: a symmetric table [species][species].
template <template <class> class Form, class T, Truncation truncation>
struct MixedPotential
{
    using Real = T;
    static constexpr bool one_species = false;
    PairCoefficients<T> const* table;
    int species_count;

    TESSERA_HD PairTerm<T> operator()(T r_sq, int species, int neighbor_species) const
    {
        return pair_term<Form, truncation>(r_sq, table[species * species_count + neighbor_species]);
    }
    TESSERA_HD PairTerm<T> inside(T r_sq, int species, int neighbor_species) const
    {
        return pair_term_inside<Form, truncation>(
            r_sq, table[species * species_count + neighbor_species]);
    }
};

/// Any number of species and one branch on the truncation, the same for every pair of a run: for
/// what is evaluated seldom, so that it is compiled once.
template <template <class> class Form, class T>
struct AnyPotential
{
    using Real = T;
    static constexpr bool one_species = false;
    PairCoefficients<T> const* table;
    int species_count;
    Truncation truncation;

    TESSERA_HD PairTerm<T> operator()(T r_sq, int species, int neighbor_species) const
    {
        PairCoefficients<T> const& c = table[species * species_count + neighbor_species];
        if (truncation == Truncation::force_shifted)
        {
            return pair_term<Form, Truncation::force_shifted>(r_sq, c);
        }
        if (truncation == Truncation::switched)
        {
            return pair_term<Form, Truncation::switched>(r_sq, c);
        }
        return pair_term<Form, Truncation::sharp>(r_sq, c);
    }
};

/// The potential as plain data: which functor a loop is compiled with is chosen from it.
template <class Real>
struct PotentialView
{
    PotentialType type;
    Truncation truncation;
    int species_count;
    PairCoefficients<Real> const* table;  ///< [species][species], in memory that the loop can read
    PairCoefficients<Real> first;         ///< table[0], for a system of one species
};

/// When the truncation of a mixture is chosen: in the loop, or by which kernel is launched.
enum class MixtureCut
{
    in_loop,
    compiled
};

/// Calls `use` with the UniformPotential of `potential`, or of a mixture the AnyPotential or
/// MixedPotential.
template <MixtureCut mixture, class Real, class Use>
void with_potential(PotentialView<Real> const& potential, Use const& use)
{
    with_form(potential.type, [&]<template <class> class Form>(FormTag<Form>) {
        if constexpr (mixture == MixtureCut::in_loop)
        {
            if (potential.species_count > 1)
            {
                use(AnyPotential<Form, Real>{potential.table, potential.species_count,
                                             potential.truncation});
                return;
            }
        }
        auto const cut = [&]<Truncation truncation>() {
            if constexpr (mixture == MixtureCut::compiled)
            {
                if (potential.species_count > 1)
                {
                    use(MixedPotential<Form, Real, truncation>{potential.table,
                                                               potential.species_count});
                    return;
                }
            }
            use(UniformPotential<Form, Real, truncation>{potential.first});
        };
        switch (potential.truncation)
        {
            case Truncation::force_shifted:
                return cut.template operator()<Truncation::force_shifted>();
            case Truncation::switched:
                return cut.template operator()<Truncation::switched>();
            case Truncation::sharp:
            case Truncation::shifted:
                break;
        }
        return cut.template operator()<Truncation::sharp>();
    });
}

/// Calls `use` with the AnyPotential of `potential`.
template <class Real, class Use>
void with_any_potential(PotentialView<Real> const& potential, Use const& use)
{
    with_form(potential.type, [&]<template <class> class Form>(FormTag<Form>) {
        use(AnyPotential<Form, Real>{potential.table, potential.species_count,
                                     potential.truncation});
    });
}

}  // namespace tessera
