#pragma once

#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// What a particle has, listed once: a member and a line of a walk. Loading, sorting, saving, byte
/// counts and forecasts walk the list. Array<T> is what holds a T of each particle: a std::vector,
/// device memory, a pointer in a kernel, or, of one particle, the T itself.
template <template <class> class Array>
struct ParticleAttributes
{
    Array<std::int64_t> id;             ///< who it is, wherever it is in memory
    Array<std::int32_t> species;        ///< index into names and masses of species
    Array<Vec3<double>> position;       ///< wrapped along periodic axes [sigma]
    Array<Vec3<double>> velocity;       ///< [sigma/tau]
    Array<Vec3<double>> list_position;  ///< position at the last build of neighbor lists [sigma]
    Array<Vec3<std::int32_t>> image;    ///< unwrapped = position + image * edge

    /// visit(sets.attribute...) for each attribute that steps change.
    template <class Visit, class... Sets>
    TESSERA_HD static void walk_motion(Visit const& visit, Sets&&... sets)
    {
        visit(sets.position...);
        visit(sets.velocity...);
        visit(sets.list_position...);
        visit(sets.image...);
    }
    /// For each that says who a particle is.
    template <class Visit, class... Sets>
    TESSERA_HD static void walk_identity(Visit const& visit, Sets&&... sets)
    {
        visit(sets.species...);
        visit(sets.id...);
    }
    template <class Visit, class... Sets>
    TESSERA_HD static void walk(Visit const& visit, Sets&&... sets)
    {
        walk_motion(visit, sets...);
        walk_identity(visit, sets...);
    }
};

/// The same in memory order, with the way back.
template <template <class> class Array>
struct SortedAttributes : ParticleAttributes<Array>
{
    Array<std::int32_t> place;  ///< in id order

    template <class Visit, class... Sets>
    TESSERA_HD static void walk(Visit const& visit, Sets&&... sets)
    {
        ParticleAttributes<Array>::walk(visit, sets...);
        visit(sets.place...);
    }
};

template <class T>
using OfOneParticle = T;

/// Bytes of the attributes of a particle.
template <template <template <class> class> class Attributes>
constexpr std::int64_t attribute_bytes()
{
    std::int64_t bytes = 0;
    Attributes<OfOneParticle>::walk([&](auto const& value) { bytes += sizeof(value); },
                                    Attributes<OfOneParticle>{});
    return bytes;
}

}  // namespace tessera
