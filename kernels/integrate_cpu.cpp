#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/chunk.hpp"
#include "kernels/integrate.hpp"

namespace tessera::cpu
{
namespace
{

/// Half the edge along periodic axes: a longer move in one step means the run has blown up. Open
/// axes allow anything finite.
Vec3<double> largest_moves(Box const& box)
{
    Vec3<double> moves{};
    for (int axis = 0; axis < 3; ++axis)
    {
        moves[axis] =
            box.periodic(axis) ? 0.5 * box.edges[axis] : std::numeric_limits<double>::max();
    }
    return moves;
}

}  // namespace

DriftResult kick_and_drift(ParticleView particles, Box const& box, double dt,
                           Vec3<double> const* reference)
{
    Vec3<double> const limit = largest_moves(box);
    double max_sq = 0.0;
    std::int64_t runaway = std::numeric_limits<std::int64_t>::max();
#pragma omp parallel for schedule(static) reduction(max : max_sq) reduction(min : runaway)
    for (std::int64_t particle = 0; particle < particles.count; ++particle)
    {
        double const impulse = 0.5 * dt / particles.mass[particles.species[particle]];
        Vec3<double>& velocity = particles.velocity[particle];
        velocity += impulse * particles.force[particle];
        Vec3<double> const move = dt * velocity;
        // Written so that NaN counts as running away.
        bool const calm = std::abs(move.x) <= limit.x && std::abs(move.y) <= limit.y &&
                          std::abs(move.z) <= limit.z;
        if (!calm)
        {
            runaway = std::min(runaway, particle);
            continue;
        }
        Vec3<double>& position = particles.position[particle];
        position += move;
        wrap(position, particles.image[particle], box);
        auto const moved = minimum_image(position - reference[particle], box);
        max_sq = std::max(max_sq, dot(moved, moved));
    }
    return {max_sq, runaway == std::numeric_limits<std::int64_t>::max() ? -1 : runaway};
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
