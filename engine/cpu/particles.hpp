#pragma once

#include <cstdint>
#include <vector>

#include "engine/state/state.hpp"
#include "kernels/motion/integrate.hpp"
#include "kernels/neighbor/cells.hpp"
#include "kernels/neighbor/sort.hpp"

namespace tessera
{

/// The particles in host memory, in memory order: sorted by (cell, rank), where rank is the place
/// in id order.
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
        return static_cast<std::int64_t>(position_.size());
    }
    Box const& box() const
    {
        return box_;
    }
    std::vector<Vec3<double>> const& position() const
    {
        return position_;
    }
    /// Where the particles were when lists were last built.
    std::vector<Vec3<double>>& list_position()
    {
        return list_position_;
    }
    std::vector<Vec3<double>> const& list_position() const
    {
        return list_position_;
    }
    std::vector<Vec3<double>>& force()
    {
        return force_;
    }
    std::int32_t const* species() const
    {
        return species_.data();
    }
    std::int32_t const* rank() const
    {
        return rank_.data();
    }
    /// The cells of the last sort.
    cpu::SortedCells cells() const
    {
        return cell_sort_.cells();
    }
    std::int64_t bytes() const;

private:
    template <class T>
    void permute(std::vector<T>& values, std::vector<T>& scratch) const;

    Box box_;
    std::vector<Vec3<double>> position_, velocity_, force_, list_position_;
    std::vector<Vec3<std::int32_t>> image_;
    std::vector<std::int32_t> species_, rank_;
    std::vector<std::int64_t> id_;  // in id order, unlike the rest
    std::vector<double> mass_;      // [species]

    cpu::CellSort cell_sort_;
    std::vector<std::int32_t> int_scratch_;
    std::vector<Vec3<double>> vec_scratch_;
    std::vector<Vec3<std::int32_t>> image_scratch_;
};

}  // namespace tessera
