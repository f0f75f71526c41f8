#pragma once
/// Velocity Verlet, in double: half kick and drift, then, with new forces, the other half kick.
/// (Swope et al., J. Chem. Phys. 76, 637 (1982))

#include <cstdint>

#include "kernels/box.hpp"
#include "kernels/consumers.hpp"
#include "kernels/vec3.hpp"

namespace tessera
{

/// The mechanical state in memory order, borrowed. Arrays are [particle].
struct ParticleView
{
    Vec3<double>* position;  ///< wrapped [sigma]
    Vec3<double>* velocity;  ///< [sigma/tau]
    Vec3<double>* force;     ///< [epsilon/sigma]
    Vec3<std::int32_t>* image;
    std::int32_t const* species;
    std::int64_t count;
    double const* mass;  ///< [species] [m]
};

/// What a drift found out.
struct DriftResult
{
    double max_displacement_sq = 0.0;  ///< largest distance^2 from `reference` [sigma^2]
    std::int64_t runaway = -1;         ///< lowest index of a particle that moved more than half a
                                       ///< box edge in this step or is not finite; -1: none
};

/// Kinetic sums of the particles of one slice.
struct KineticSum
{
    double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;  ///< m v_a v_b [epsilon]
    Vec3<double> momentum{};                                            ///< [m sigma/tau]
};

namespace cpu
{

/// v += dt/2 F/m; x += dt v; wraps and counts images. `reference` [particle] are the positions at
/// which lists were built.
DriftResult kick_and_drift(ParticleView particles, Box const& box, double dt,
                           Vec3<double> const* reference);

/// v += dt/2 F/m.
void kick(ParticleView particles, double dt);

/// Kinetic tensor and momentum, summed per slice of 32 particles: slice_sum [particle / 32].
void sum_kinetic(ParticleView particles, KineticSum* slice_sum);

}  // namespace cpu
}  // namespace tessera
