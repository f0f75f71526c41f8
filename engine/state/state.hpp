#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// The whole mechanical state on the host, in id order: what a run starts from, what a checkpoint
/// holds, what a frame is written from.
///
/// Every array is [particle] with ids strictly ascending. Positions are wrapped along periodic
/// axes; unwrapped = position + image * edge.
struct State
{
    Box box;
    std::int64_t step = 0;
    double time = 0.0;  ///< [tau]

    std::vector<std::int64_t> id;
    std::vector<std::int32_t> species;   ///< index into species_names
    std::vector<Vec3<double>> position;  ///< [sigma]
    std::vector<Vec3<std::int32_t>> image;
    std::vector<Vec3<double>> velocity;  ///< [sigma/tau]
    std::vector<Vec3<double>> force;     ///< [epsilon/sigma]; zero until a backend has computed it

    /// Wrapped positions at which neighbor lists were last built; empty: build at `position`.
    /// Restarting from them gives the same lists, hence the same order of summation and the same
    /// bytes as a run that was never interrupted.
    std::vector<Vec3<double>> list_position;

    std::vector<std::string> species_names;
    std::vector<double> species_mass;  ///< [species]

    std::int64_t particle_count() const
    {
        return static_cast<std::int64_t>(position.size());
    }
    /// Particles per volume [sigma^-3].
    double density() const
    {
        return static_cast<double>(particle_count()) / box.volume();
    }
};

}  // namespace tessera
