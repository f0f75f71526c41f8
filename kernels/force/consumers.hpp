#pragma once
/// What is evaluated from a particle's neighbors, one functor each. A functor knows pairs and
/// nothing of slices, warps or workers; loops own the order, reduction and storing of sums. It has
///
///     Sum                    trivially copyable; begins as Sum{}, and += merges the sums of other
///                            rows or particles
///     add(sum, displacement, species, neighbor_species)    once a neighbor
///     one_species            whether species need not be read
///
/// or, to count into a histogram, bin(displacement, species, neighbor_species) instead of the first
/// two. displacement = position - neighbor's position, nearest copy [sigma]. What is summed over
/// the system has every pair from both sides.

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/pair_potential.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// The force on a particle [epsilon/sigma]: pair arithmetic in the potential's Real, summed in T.
template <class Potential, class T = double>
struct Force
{
    using Real = typename Potential::Real;
    using Sum = Vec3<T>;
    static constexpr bool one_species = Potential::one_species;

    Potential potential;

    TESSERA_HD void add(Sum& sum, Vec3<Real> displacement, int species, int neighbor_species) const
    {
        add_term(sum, potential(dot(displacement, displacement), species, neighbor_species),
                 displacement);
    }
    /// Term by term in T: f_ij = -f_ji bit for bit, so momentum stays zero.
    TESSERA_HD static void add_term(Sum& sum, PairTerm<Real> const& term, Vec3<Real> displacement)
    {
        sum.x += static_cast<T>(term.force_over_r * displacement.x);
        sum.y += static_cast<T>(term.force_over_r * displacement.y);
        sum.z += static_cast<T>(term.force_over_r * displacement.z);
    }
};

/// Potential energy [epsilon] and virial tensor sum r_a F_b [epsilon], of pairs from both sides.
struct EnergySum
{
    double energy = 0.0;
    double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;

    TESSERA_HD EnergySum& operator+=(EnergySum const& other)
    {
        energy += other.energy;
        xx += other.xx;
        xy += other.xy;
        xz += other.xz;
        yy += other.yy;
        yz += other.yz;
        zz += other.zz;
        return *this;
    }
};

template <class Potential>
struct Energy
{
    using Real = typename Potential::Real;
    using Sum = EnergySum;
    static constexpr bool one_species = Potential::one_species;

    Potential potential;

    TESSERA_HD void add(Sum& sum, Vec3<Real> displacement, int species, int neighbor_species) const
    {
        PairTerm<Real> const term =
            potential(dot(displacement, displacement), species, neighbor_species);
        Real const fx = term.force_over_r * displacement.x;
        Real const fy = term.force_over_r * displacement.y;
        Real const fz = term.force_over_r * displacement.z;
        sum.energy += static_cast<double>(term.energy);
        sum.xx += static_cast<double>(displacement.x * fx);
        sum.xy += static_cast<double>(displacement.x * fy);
        sum.xz += static_cast<double>(displacement.x * fz);
        sum.yy += static_cast<double>(displacement.y * fy);
        sum.yz += static_cast<double>(displacement.y * fz);
        sum.zz += static_cast<double>(displacement.z * fz);
    }
};

/// Neighbors within the cutoff, those without an interaction too. `table` [species][species].
template <class RealType>
struct NeighborCount
{
    using Real = RealType;
    using Sum = int;
    static constexpr bool one_species = false;

    PairCoefficients<Real> const* table;
    int species_count;

    TESSERA_HD void add(Sum& sum, Vec3<Real> displacement, int species, int neighbor_species) const
    {
        PairCoefficients<Real> const& pair = table[species * species_count + neighbor_species];
        Real const range_sq = pair.inside_sq > Real(0) ? pair.inside_sq : pair.cutoff_sq;
        sum += dot(displacement, displacement) < range_sq ? 1 : 0;
    }
};

/// Pairs by distance, in equal bins of [0, range): the raw material of g(r). Counts are integers,
/// so a histogram is exact in any order.
template <class RealType>
struct DistanceBin
{
    using Real = RealType;
    static constexpr bool one_species = false;

    int bins;
    Real inside_sq;  ///< pairs count below this [sigma^2]
    Real inv_bin;    ///< bins per [sigma]

    /// `inside` <= range: what counts.
    DistanceBin(int bin_count, double range, double inside)
        : bins(bin_count),
          inside_sq(static_cast<Real>(inside * inside)),
          inv_bin(static_cast<Real>(bin_count / range))
    {
    }
    /// -1: out of range.
    TESSERA_HD int bin(Vec3<Real> displacement, int /*species*/, int /*neighbor_species*/) const
    {
        Real const r_sq = dot(displacement, displacement);
        if (!(r_sq < inside_sq))
        {
            return -1;
        }
        int const bin = static_cast<int>(std::sqrt(r_sq) * inv_bin);
        return bin < bins ? bin : bins - 1;
    }
};

}  // namespace tessera
