#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// What happens at the two faces of an axis: particles re-enter on the other side, or leave freely.
enum class Boundary : std::uint8_t
{
    periodic,
    open
};

/// An orthogonal box with one corner at the origin; edges in [sigma].
///
/// Along an open axis the edge is nominal: it enters the volume, and particles may lie outside.
struct Box
{
    Vec3<double> edges{1.0, 1.0, 1.0};
    Vec3<Boundary> boundary{Boundary::periodic, Boundary::periodic, Boundary::periodic};

    TESSERA_HD bool periodic(int axis) const
    {
        return boundary[axis] == Boundary::periodic;
    }
    /// Volume [sigma^3].
    TESSERA_HD double volume() const
    {
        return edges.x * edges.y * edges.z;
    }
    friend bool operator==(Box const&, Box const&) = default;
};

/// Folds `position` into [0, edge) and counts the crossings: position + image * edge is unchanged
/// to rounding. A value that rounds onto the upper face becomes 0 of the next image.
TESSERA_HD void wrap(double& position, std::int32_t& image, double edge)
{
    if (position >= 0.0 && position < edge)
    {
        return;
    }
    double const crossings = std::floor(position / edge);
    position -= crossings * edge;
    image += static_cast<std::int32_t>(crossings);
    if (position < 0.0)
    {
        position += edge;
        image -= 1;
    }
    if (position >= edge)
    {
        position -= edge;
        image += 1;
    }
}

/// Folds every periodic component of `position` into the box.
TESSERA_HD void wrap(Vec3<double>& position, Vec3<std::int32_t>& image, Box const& box)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        if (box.periodic(axis))
        {
            wrap(position[axis], image[axis], box.edges[axis]);
        }
    }
}

/// Folds a separation to the nearest periodic copy; `period` 0 (and `inv_period` 0) leaves it.
template <class T>
TESSERA_HD T minimum_image(T separation, T period, T inv_period)
{
    return separation - period * std::rint(separation * inv_period);
}

/// The nearest-copy separation of two box positions [sigma].
TESSERA_HD Vec3<double> minimum_image(Vec3<double> separation, Box const& box)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        if (box.periodic(axis))
        {
            separation[axis] =
                minimum_image(separation[axis], box.edges[axis], 1.0 / box.edges[axis]);
        }
    }
    return separation;
}

}  // namespace tessera
