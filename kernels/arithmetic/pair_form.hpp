#pragma once
/// What every pair potential is made from and gives.
///
/// A form is a struct template of its coefficients, in the precision of the pair arithmetic:
///
///     static Form make(PairParameters)             rounded once, from double
///     PairTerm<T> term(T s2) const                 before truncation, s2 = (sigma/r)^2; not finite
///                                                  where s2 is infinite
///     static PairPoint at(PairParameters, r)       the same in double, for shifts and numeric tails
///     static PairTail tail(PairParameters, pair_density, volume)
///     static double core(PairParameters)           closer than this no time step survives [sigma]
///     static double steepness(PairParameters)      at most this many times its share does the force
///                                                  change when the distance does
///     static std::array<NamedNumber, 2> numbers(PairParameters)
///                                                  what a float must be able to hold
///
/// Everything is scaled by sigma: powers of r itself would leave float's range where sigma is far
/// from 1. Reduced units: epsilon, sigma and the unit mass are 1.

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "kernels/arithmetic/host_device.hpp"

namespace tessera
{

enum class PotentialType : std::uint8_t
{
    lennard_jones,
    mie
};

/// What the input says of one pair of species, after mixing.
struct PairParameters
{
    double epsilon = 0.0, sigma = 1.0, cutoff = 0.0;
    PotentialType type = PotentialType::lennard_jones;
    double n = 12.0, m = 6.0;  ///< exponents of repulsion and attraction, mie only
};

/// One pair's force divided by its distance [epsilon/sigma^2], and its energy [epsilon].
template <class T>
struct PairTerm
{
    T force_over_r;
    T energy;
};

/// Force F = -dU/dr [epsilon/sigma] and energy [epsilon] at one distance.
struct PairPoint
{
    double force, energy;
};

/// The integrals beyond the cutoff with g(r) = 1, over pairs counted from one side:
/// 2 pi density int U r^2 dr [epsilon] and -2/3 pi density / volume int U' r^3 dr
/// [epsilon/sigma^3].
struct PairTail
{
    double energy, pressure;
};

struct NamedNumber
{
    char const* name;
    double value;
};

}  // namespace tessera
