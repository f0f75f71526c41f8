#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "engine/state/state.hpp"
#include "kernels/motion/integrate.hpp"
#include "kernels/neighbor/cells.hpp"
#include "kernels/neighbor/sort.hpp"

namespace tessera
{

/// The particles in host memory, in memory order: sorted by (cell, id). Forces are not sorted with
/// them: whoever sorts computes them anew.
class Particles
{
public:
    /// Takes the state's particles, in id order.
    void load(State const& state);

    /// Sorts by the cells of the positions at which lists are to be built, for searches within
    /// `radius`; `bounds` holds them. Returns the grid.
    CellGrid sort(Bounds const& bounds, double radius);

    /// Writes positions, images, velocities, forces and list positions back in id order.
    void save(State& state) const;

    /// What save() writes, with box, ids, species and masses: for a message about a particle.
    State full_state() const;

    ParticleView view();

    std::int64_t count() const
    {
        return static_cast<std::int64_t>(now_.position.size());
    }
    Box const& box() const
    {
        return box_;
    }
    std::vector<Vec3<double>> const& position() const
    {
        return now_.position;
    }
    /// Where the particles were when lists were last built.
    std::vector<Vec3<double>>& list_position()
    {
        return now_.list_position;
    }
    std::vector<Vec3<double>> const& list_position() const
    {
        return now_.list_position;
    }
    std::vector<Vec3<double>>& force()
    {
        return force_;
    }
    std::int32_t const* species() const
    {
        return now_.species.data();
    }
    std::int64_t const* id() const
    {
        return now_.id.data();
    }
    /// The cells of the last sort.
    cpu::SortedCells cells() const
    {
        return cell_sort_.cells();
    }
    std::int64_t bytes() const;
    static constexpr std::int64_t bytes_per_particle()
    {
        // Attributes and forces; the scratch of a sort, one array a type; its order and indices of
        // cells; the cells, fewer than two a particle but in dilute systems.
        return attribute_bytes<SortedAttributes>() + 24 + (4 + 8 + 24 + 12) + (4 + 8) + 2 * 4;
    }

private:
    template <class T>
    void permute(std::vector<T>& values);
    template <class T>
    void in_id_order(std::vector<T> const& values, std::vector<T>& to) const;

    Box box_;
    SortedAttributes<HostArray> now_;
    std::vector<Vec3<double>> force_;
    std::vector<double> mass_;  // [species]

    cpu::CellSort cell_sort_;
    std::tuple<std::vector<std::int32_t>, std::vector<std::int64_t>, std::vector<Vec3<double>>,
               std::vector<Vec3<std::int32_t>>>
        scratch_;  // one a type
};

}  // namespace tessera
