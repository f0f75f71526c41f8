#pragma once
/// Velocity Verlet, in double: half kick and drift, then, with new forces, the other half kick.
/// (Swope et al., J. Chem. Phys. 76, 637 (1982))

#include <cmath>
#include <cstdint>
#include <optional>

#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/pair_space.hpp"
#include "kernels/arithmetic/vec3.hpp"

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

/// How far a particle may move in one step and how far from the origin it may be, per axis [sigma].
/// What goes beyond has become unstable, or can no longer be held.
struct MotionLimits
{
    Vec3<double> move, place;

    friend bool operator==(MotionLimits const&, MotionLimits const&) = default;
};

/// Along a periodic axis a move is bounded by half the edge, beyond which the nearest copy is
/// another one. Along an open axis, where particles may fly freely, it is bounded by what no
/// integration can mean: many times as far as particles feel each other.
inline constexpr double most_radii_a_step = 1024.0;
/// Velocities [sigma/tau] and forces [epsilon/sigma] beyond this are overflows on their way.
inline constexpr double absurd_value = 1e30;

inline MotionLimits motion_limits(Box const& box, double list_radius)
{
    MotionLimits limits{};
    for (int axis = 0; axis < 3; ++axis)
    {
        bool const periodic = box.periodic(axis);
        double const edge = box.edges[axis];
        limits.move[axis] = periodic ? 0.5 * edge : most_radii_a_step * list_radius;
        limits.place[axis] = periodic ? 2.0 * edge : farthest_held(list_radius);
    }
    return limits;
}

/// False for NaN too.
TESSERA_HD bool is_within(Vec3<double> value, Vec3<double> limit)
{
    return std::fabs(value.x) <= limit.x && std::fabs(value.y) <= limit.y &&
           std::fabs(value.z) <= limit.z;
}

/// The runaway rule, the only one: whether a particle may move by `move` to `place`.
TESSERA_HD bool may_move(Vec3<double> move, Vec3<double> place, MotionLimits const& limits)
{
    return is_within(move, limits.move) && is_within(place, limits.place);
}

/// Whether a particle's numbers may be written as a result: all finite, none absurd, and the step
/// that follows would pass the runaway rule.
TESSERA_HD bool is_sound(Vec3<double> position, Vec3<double> velocity, Vec3<double> force,
                         double dt, double mass, MotionLimits const& limits)
{
    Vec3<double> const absurd{absurd_value, absurd_value, absurd_value};
    Vec3<double> const move = dt * (velocity + (0.5 * dt / mass) * force);
    return is_within(velocity, absurd) && is_within(force, absurd) &&
           may_move(move, position + move, limits);
}

/// Whether image counts still hold `crossings` more.
TESSERA_HD bool images_fit(Vec3<std::int32_t> image, Vec3<std::int32_t> crossings)
{
    constexpr std::int64_t most = 0x7FFFFFFF;
    for (int axis = 0; axis < 3; ++axis)
    {
        std::int64_t const count = static_cast<std::int64_t>(image[axis]) + crossings[axis];
        if (count > most || count < -most)
        {
            return false;
        }
    }
    return true;
}

/// Moves a particle, wraps it and counts its images, unless the runaway rule or the image counts
/// forbid it: false, and nothing is changed.
TESSERA_HD bool drift(Vec3<double>& position, Vec3<std::int32_t>& image, Vec3<double> move,
                      Box const& box, MotionLimits const& limits)
{
    Vec3<double> place = position + move;
    if (!may_move(move, place, limits))
    {
        return false;
    }
    Vec3<std::int32_t> crossings{};
    wrap(place, crossings, box);
    if ((crossings.x | crossings.y | crossings.z) != 0)
    {
        if (!images_fit(image, crossings))
        {
            return false;
        }
        image = image + crossings;
    }
    position = place;
    return true;
}

/// What a drift found out.
struct DriftResult
{
    double max_displacement_sq = 0.0;     ///< largest distance^2 from `reference` [sigma^2]
    std::optional<std::int64_t> runaway;  ///< lowest id of a particle that drift() stopped
};

/// Kinetic sums of the particles of one slice.
struct KineticSum
{
    double xx = 0.0, xy = 0.0, xz = 0.0, yy = 0.0, yz = 0.0, zz = 0.0;  ///< m v_a v_b [epsilon]
    Vec3<double> momentum{};                                            ///< [m sigma/tau]

    KineticSum& operator+=(KineticSum const& other)
    {
        xx += other.xx;
        xy += other.xy;
        xz += other.xz;
        yy += other.yy;
        yz += other.yz;
        zz += other.zz;
        momentum += other.momentum;
        return *this;
    }
};

namespace cpu
{

/// Where a drift goes, and what it compares the new positions with.
struct DriftSettings
{
    Box box;
    MotionLimits limits;
    double dt;
    Vec3<double> const* reference;  ///< [particle] positions at which lists were built [sigma]
    std::int64_t const* id;         ///< [particle]
};

/// v += dt/2 F/m; x += dt v; wraps and counts images. Particles that may not move stay.
DriftResult kick_and_drift(ParticleView particles, DriftSettings const& settings);

/// v += dt/2 F/m.
void kick(ParticleView particles, double dt);

/// The lowest `id` [particle] of a particle that is not sound (see is_sound).
std::optional<std::int64_t> find_unsound(ParticleView particles, std::int64_t const* id, double dt,
                                         MotionLimits const& limits);

/// Kinetic tensor and momentum, summed per slice of 32 particles: slice_sum [particle / 32].
void sum_kinetic(ParticleView particles, KineticSum* slice_sum);

}  // namespace cpu
}  // namespace tessera
