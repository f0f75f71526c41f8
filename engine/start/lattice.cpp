#include "engine/start/lattice.hpp"

#include <cmath>

namespace tessera
{

UnitCell unit_cell(LatticeType type)
{
    switch (type)
    {
        case LatticeType::sc:
            return {{1.0, 1.0, 1.0}, {{0.0, 0.0, 0.0}}};
        case LatticeType::bcc:
            return {{1.0, 1.0, 1.0}, {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}}};
        case LatticeType::fcc:
            return {{1.0, 1.0, 1.0},
                    {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.5, 0.0, 0.5}, {0.0, 0.5, 0.5}}};
        case LatticeType::hcp:
            return {
                {1.0, std::sqrt(3.0), std::sqrt(8.0 / 3.0)},
                {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.0}, {0.5, 5.0 / 6.0, 0.5}, {0.0, 1.0 / 3.0, 0.5}}};
    }
    return {};
}

Vec3<double> lattice_edges(LatticeConfig const& lattice)
{
    UnitCell const cell = unit_cell(lattice.type);
    double const volume = static_cast<double>(cell.particles.size()) / lattice.density;
    double const constant = std::cbrt(volume / (cell.edges.x * cell.edges.y * cell.edges.z));
    Vec3<double> edges;
    for (int axis = 0; axis < 3; ++axis)
    {
        edges[axis] = static_cast<double>(lattice.cells[axis]) * constant * cell.edges[axis];
    }
    return edges;
}

std::int64_t lattice_particle_count(LatticeConfig const& lattice)
{
    constexpr std::int64_t beyond = std::int64_t{1} << 62;
    auto count = static_cast<std::int64_t>(unit_cell(lattice.type).particles.size());
    for (int axis = 0; axis < 3; ++axis)
    {
        if (lattice.cells[axis] > beyond / count)
        {
            return beyond;
        }
        count *= lattice.cells[axis];
    }
    return count;
}

std::vector<Vec3<double>> lattice_positions(LatticeConfig const& lattice)
{
    UnitCell const cell = unit_cell(lattice.type);
    Vec3<double> const edges = lattice_edges(lattice);
    std::vector<Vec3<double>> positions;
    positions.reserve(static_cast<std::size_t>(lattice_particle_count(lattice)));
    // A fraction of the whole edge, not a multiple of the cell: it cannot round onto the upper
    // face.
    auto const coordinate = [&](std::int64_t index, Vec3<double> const& particle, int axis) {
        return (static_cast<double>(index) + particle[axis]) /
               static_cast<double>(lattice.cells[axis]) * edges[axis];
    };
    for (std::int64_t k = 0; k < lattice.cells.z; ++k)
    {
        for (std::int64_t j = 0; j < lattice.cells.y; ++j)
        {
            for (std::int64_t i = 0; i < lattice.cells.x; ++i)
            {
                for (Vec3<double> const& particle : cell.particles)
                {
                    positions.push_back({coordinate(i, particle, 0), coordinate(j, particle, 1),
                                         coordinate(k, particle, 2)});
                }
            }
        }
    }
    return positions;
}

}  // namespace tessera
