#pragma once
/// Consumers: what is evaluated from a particle's neighbors, one small functor each.
///
/// A loop over neighbors (of a list or of a chunk, on the CPU or the GPU) calls
///
///     Sum sum = consumer.begin(worker);                      // once a particle
///     consumer.add(sum, displacement, species, neighbor_species);  // once a neighbor
///     consumer.store(sum, particle);                         // once a particle
///
/// displacement = position - neighbor's position, nearest copy [sigma]. A new observable over pairs
/// is a new functor here and nothing else. Sums over pairs count each pair from both sides; store()
/// halves them.

#include <cstdint>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/lennard_jones.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// Forces [epsilon/sigma]: pair arithmetic in the potential's Real, summed in double.
template <class Potential>
struct ForceConsumer
{
    using Real = typename Potential::Real;
    using Sum = Vec3<double>;

    Potential potential;
    Vec3<double>* force;  ///< [particle]

    TESSERA_HD Sum begin(int /*worker*/) const
    {
        return {};
    }
    TESSERA_HD void add(Sum& sum, Vec3<Real> displacement, int species, int neighbor_species) const
    {
        Real const force_over_r =
            potential(dot(displacement, displacement), species, neighbor_species).force_over_r;
        sum.x += static_cast<double>(force_over_r * displacement.x);
        sum.y += static_cast<double>(force_over_r * displacement.y);
        sum.z += static_cast<double>(force_over_r * displacement.z);
    }
    TESSERA_HD void store(Sum const& sum, std::int64_t particle) const
    {
        force[particle] = sum;
    }
};

/// Energy and virial of the pairs of one slice of particles: what reductions run over.
struct EnergySum
{
    double energy = 0.0;
    double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;
};

/// Potential energy [epsilon] and virial tensor sum r_a F_b [epsilon], summed per slice of 32
/// particles in memory order; one thread at a time works on a slice.
template <class Potential>
struct EnergyConsumer
{
    using Real = typename Potential::Real;
    using Sum = EnergySum;

    Potential potential;
    EnergySum* slice_sum;  ///< [particle / 32], zeroed before

    TESSERA_HD Sum begin(int /*worker*/) const
    {
        return {};
    }
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
    TESSERA_HD void store(Sum const& sum, std::int64_t particle) const
    {
        EnergySum& slice = slice_sum[particle / slice_rows];
        slice.energy += 0.5 * sum.energy;
        slice.xx += 0.5 * sum.xx;
        slice.xy += 0.5 * sum.xy;
        slice.xz += 0.5 * sum.xz;
        slice.yy += 0.5 * sum.yy;
        slice.yz += 0.5 * sum.yz;
        slice.zz += 0.5 * sum.zz;
    }
};

/// Counts pairs into equal bins of distance [0, range): the raw material of g(r). Each worker has
/// its own histogram, and counts are integers, so the sum is exact in any order.
template <class RealType>
struct PairCountConsumer
{
    using Real = RealType;
    struct Sum
    {
        std::uint64_t* histogram;
    };

    std::uint64_t* histograms;  ///< [worker][bin], pairs counted from both sides
    int bins;
    Real inside_sq;  ///< pairs count below this [sigma^2]
    Real inv_bin;    ///< bins per [sigma]

    TESSERA_HD Sum begin(int worker) const
    {
        return {histograms + static_cast<std::int64_t>(worker) * bins};
    }
    TESSERA_HD void add(Sum& sum, Vec3<Real> displacement, int, int) const
    {
        Real const r_sq = dot(displacement, displacement);
        if (r_sq < inside_sq)
        {
            int const bin = static_cast<int>(std::sqrt(r_sq) * inv_bin);
            sum.histogram[bin < bins ? bin : bins - 1] += 1;
        }
    }
    TESSERA_HD void store(Sum const&, std::int64_t) const
    {
    }
};

}  // namespace tessera
