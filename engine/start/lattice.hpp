#pragma once

#include <cstdint>
#include <vector>

#include "engine/config/config.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

/// An orthogonal unit cell: edges in units of the lattice constant a, particles in fractions of the
/// edges. hcp is the 4-particle cell a x sqrt(3) a x sqrt(8/3) a with the ideal c/a.
struct UnitCell
{
    Vec3<double> edges;
    std::vector<Vec3<double>> particles;
};

UnitCell unit_cell(LatticeType type);

/// Edges [sigma] of the whole lattice at its density.
Vec3<double> lattice_edges(LatticeConfig const& lattice);

/// Particles of the whole lattice; 2^62 for anything beyond.
std::int64_t lattice_particle_count(LatticeConfig const& lattice);

/// Positions [particle], in [0, edge): cell by cell, x fastest, a corner at the origin.
std::vector<Vec3<double>> lattice_positions(LatticeConfig const& lattice);

}  // namespace tessera
