#include <algorithm>
#include <limits>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/motion/integrate.hpp"

namespace tessera::cpu
{
namespace
{

constexpr std::int64_t nobody = std::numeric_limits<std::int64_t>::max();

std::optional<std::int64_t> found(std::int64_t id)
{
    return id == nobody ? std::nullopt : std::optional(id);
}

}  // namespace

DriftResult kick_and_drift(ParticleView particles, DriftSettings const& settings)
{
    Box const box = settings.box;
    MotionLimits const limits = settings.limits;
    double max_sq = 0.0;
    std::int64_t runaway = nobody;
#pragma omp parallel for schedule(static) reduction(max : max_sq) reduction(min : runaway)
    for (std::int64_t particle = 0; particle < particles.count; ++particle)
    {
        double const impulse = 0.5 * settings.dt / particles.mass[particles.species[particle]];
        Vec3<double>& velocity = particles.velocity[particle];
        velocity += impulse * particles.force[particle];
        Vec3<double>& position = particles.position[particle];
        if (!drift(position, particles.image[particle], settings.dt * velocity, box, limits))
        {
            runaway = std::min(runaway, settings.id[particle]);
            continue;
        }
        auto const moved = minimum_image(position - settings.reference[particle], box);
        max_sq = std::max(max_sq, dot(moved, moved));
    }
    return {max_sq, found(runaway)};
}

std::optional<std::int64_t> find_unsound(ParticleView particles, std::int64_t const* id, double dt,
                                         MotionLimits const& limits)
{
    std::int64_t unsound = nobody;
#pragma omp parallel for schedule(static) reduction(min : unsound)
    for (std::int64_t particle = 0; particle < particles.count; ++particle)
    {
        if (!is_sound(particles.position[particle], particles.velocity[particle],
                      particles.force[particle], dt, particles.mass[particles.species[particle]],
                      limits))
        {
            unsound = std::min(unsound, id[particle]);
        }
    }
    return found(unsound);
}

void kick(ParticleView particles, double dt)
{
#pragma omp parallel for schedule(static)
    for (std::int64_t particle = 0; particle < particles.count; ++particle)
    {
        double const impulse = 0.5 * dt / particles.mass[particles.species[particle]];
        particles.velocity[particle] += impulse * particles.force[particle];
    }
}

void sum_kinetic(ParticleView particles, KineticSum* slice_sum)
{
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < slice_count(particles.count, 1); ++slice)
    {
        KineticSum sum;
        std::int64_t const end = std::min(particles.count, (slice + 1) * slice_rows);
        for (std::int64_t particle = slice * slice_rows; particle < end; ++particle)
        {
            double const mass = particles.mass[particles.species[particle]];
            Vec3<double> const v = particles.velocity[particle];
            sum.xx += mass * v.x * v.x;
            sum.xy += mass * v.x * v.y;
            sum.xz += mass * v.x * v.z;
            sum.yy += mass * v.y * v.y;
            sum.yz += mass * v.y * v.z;
            sum.zz += mass * v.z * v.z;
            sum.momentum += mass * v;
        }
        slice_sum[slice] = sum;
    }
}

}  // namespace tessera::cpu
