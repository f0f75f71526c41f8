#pragma once

#include <numbers>

namespace tessera
{

/// Neighbors within `radius` at uniform density, the particle itself not counted.
inline double expected_neighbors(double density, double radius)
{
    return 4.0 / 3.0 * std::numbers::pi * density * radius * radius * radius;
}

}  // namespace tessera
