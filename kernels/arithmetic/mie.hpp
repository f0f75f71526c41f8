#pragma once
/// The Mie potential,
///
///     U(r) = C epsilon [(sigma/r)^n - (sigma/r)^m],   C = n / (n - m) (n / m)^(m / (n - m))
///
/// n > m > 3; 12 and 6 are Lennard-Jones. G. Mie, Annalen der Physik 316, 657 (1903).

#include "kernels/arithmetic/pair_form.hpp"

namespace tessera
{

template <class T>
struct Mie
{
    T energy_scale;           ///< C epsilon
    T force_n, force_m;       ///< n C epsilon / sigma^2, m C epsilon / sigma^2
    T half_m, half_excess;    ///< m / 2, (n - m) / 2
    std::int32_t products_m;  ///< m / 2 where both halves are integers, else 0
    std::int32_t products_excess;

    static double prefactor(PairParameters const& p)
    {
        return p.n / (p.n - p.m) * std::pow(p.n / p.m, p.m / (p.n - p.m));
    }
    static Mie make(PairParameters const& p)
    {
        double const scale = prefactor(p) * p.epsilon;
        double const sigma_sq = p.sigma * p.sigma;
        double const half_m = 0.5 * p.m;
        double const half_excess = 0.5 * (p.n - p.m);
        bool const products = half_m == std::floor(half_m) &&
                              half_excess == std::floor(half_excess) && half_m + half_excess < 128;
        return {static_cast<T>(scale),
                static_cast<T>(p.n * scale / sigma_sq),
                static_cast<T>(p.m * scale / sigma_sq),
                static_cast<T>(half_m),
                static_cast<T>(half_excess),
                products ? static_cast<std::int32_t>(half_m) : 0,
                products ? static_cast<std::int32_t>(half_excess) : 0};
    }

    /// The repulsion as the attraction times the excess: infinite, not inf - inf, at r = 0.
    TESSERA_HD PairTerm<T> term(T s2) const
    {
        T const attraction = power(s2, products_m, half_m);
        T const excess = power(s2, products_excess, half_excess);
        return {attraction * (force_n * excess - force_m) * s2,
                attraction * (energy_scale * excess - energy_scale)};
    }

    static PairPoint at(PairParameters const& p, double r)
    {
        double const scale = prefactor(p) * p.epsilon;
        double const repulsion = std::pow(p.sigma / r, p.n);
        double const attraction = std::pow(p.sigma / r, p.m);
        return {scale * (p.n * repulsion - p.m * attraction) / r, scale * (repulsion - attraction)};
    }
    static PairTail tail(PairParameters const& p, double pair_density, double volume)
    {
        double const scale = 2.0 * std::numbers::pi * pair_density * prefactor(p) * p.epsilon;
        double const cube = std::pow(p.cutoff, 3.0);
        double const repulsion = cube * std::pow(p.sigma / p.cutoff, p.n) / (p.n - 3.0);
        double const attraction = cube * std::pow(p.sigma / p.cutoff, p.m) / (p.m - 3.0);
        return {scale * (repulsion - attraction),
                scale / 3.0 * (p.n * repulsion - p.m * attraction) / volume};
    }
    /// Where the repulsion is what that of Lennard-Jones is at a fifth of sigma.
    static double core(PairParameters const& p)
    {
        double const rise = 48.0 * std::pow(5.0, 13.0) / (p.n * prefactor(p));
        return p.sigma * std::pow(rise, -1.0 / (p.n + 1.0));
    }
    static double steepness(PairParameters const& p)
    {
        return p.n + 2.0;
    }
    static std::array<NamedNumber, 2> numbers(PairParameters const& p)
    {
        auto const c = Mie<double>::make(p);
        return {{{"the prefactor of mie", c.energy_scale},
                 {"n times the prefactor of mie / sigma^2", c.force_n}}};
    }

private:
    /// By squaring where `products` > 0.
    TESSERA_HD static T power(T s2, std::int32_t products, T half)
    {
        if (products == 0)
        {
            return std::exp2(half * std::log2(s2));
        }
        T result = 1;
        for (T square = s2; products != 0; square *= square, products >>= 1)
        {
            result = (products & 1) != 0 ? result * square : result;
        }
        return result;
    }
};

}  // namespace tessera
