#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/vec3.hpp"
#include "kernels/motion/attributes.hpp"

namespace tessera
{

template <class T>
using HostArray = std::vector<T>;

/// The whole mechanical state on the host, in id order: what a run starts from, what a checkpoint
/// holds, what a frame is written from.
///
/// Every array is [particle] with ids strictly ascending. Without list positions lists are built at
/// the positions. Restarting from them gives the same lists, hence the same order of summation and
/// the same bytes as a run that was never interrupted.
struct State : ParticleAttributes<HostArray>
{
    Box box;
    std::int64_t step = 0;
    double time = 0.0;  ///< [tau]

    std::vector<Vec3<double>> force;  ///< [epsilon/sigma]; zero until a backend has computed it

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
