#pragma once
/// The Lennard-Jones potential, U(r) = 4 epsilon [(sigma/r)^12 - (sigma/r)^6].

#include "kernels/arithmetic/pair_form.hpp"

namespace tessera
{

template <class T>
struct LennardJones
{
    T energy_scale;       ///< 4 epsilon
    T force_12, force_6;  ///< 48 epsilon / sigma^2, 24 epsilon / sigma^2

    static LennardJones make(PairParameters const& p)
    {
        double const sigma_sq = p.sigma * p.sigma;
        return {static_cast<T>(4.0 * p.epsilon), static_cast<T>(48.0 * p.epsilon / sigma_sq),
                static_cast<T>(24.0 * p.epsilon / sigma_sq)};
    }
    TESSERA_HD PairTerm<T> term(T s2) const
    {
        T const s6 = s2 * s2 * s2;
        return {s6 * (force_12 * s6 - force_6) * s2, s6 * (energy_scale * s6 - energy_scale)};
    }

    static PairPoint at(PairParameters const& p, double r)
    {
        double const s6 = std::pow(r / p.sigma, -6.0);
        return {(48.0 * p.epsilon * s6 * s6 - 24.0 * p.epsilon * s6) / r,
                4.0 * p.epsilon * (s6 * s6 - s6)};
    }
    static PairTail tail(PairParameters const& p, double pair_density, double volume)
    {
        double const s3 = std::pow(p.sigma, 3.0);
        double const cube = std::pow(p.sigma / p.cutoff, 3.0);
        double const ninth = cube * cube * cube;
        double const pi = std::numbers::pi;
        return {
            8.0 / 3.0 * pi * pair_density * p.epsilon * s3 * (ninth / 3.0 - cube),
            16.0 / 3.0 * pi * pair_density / volume * p.epsilon * s3 * (2.0 / 3.0 * ninth - cube)};
    }
    /// The force there is 6e10.
    static double core(PairParameters const& p)
    {
        return 0.2 * p.sigma;
    }
    static double steepness(PairParameters const&)
    {
        return 14.0;
    }
    static std::array<NamedNumber, 2> numbers(PairParameters const& p)
    {
        auto const c = LennardJones<double>::make(p);
        return {{{"4 epsilon", c.energy_scale}, {"48 epsilon / sigma^2", c.force_12}}};
    }
};

}  // namespace tessera
