#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "engine/state/state.hpp"
#include "kernels/motion/integrate.hpp"
#include "kernels/neighbor/sort_cuda.hpp"

namespace tessera
{

/// Where the next lists are built.
enum class ListPositions
{
    present,  ///< where the particles are now; remembered as list positions
    kept      ///< at the list positions, as a restart wants it
};

/// Particles in device memory, in memory order. Sorting permutes from one copy of the arrays to
/// the other. Everything is queued on the stream given at construction.
class CudaParticles
{
public:
    explicit CudaParticles(cudaStream_t stream) : stream_(stream)
    {
    }

    /// Takes the state's particles, in id order.
    void load(State const& state);

    /// Sorts by the cells of `positions`, which also become the list positions, for searches within
    /// `radius`; `bounds` holds them. Returns the grid. Blocks if there are so many cells that they
    /// had to be widened: whether particles crowd in them decides the grid.
    CellGrid sort(Bounds const& bounds, double radius, ListPositions positions);

    /// Writes positions, images, velocities, forces and list positions back in id order; blocks.
    void save(State& state) const;

    /// What save() writes, with box, ids, species and masses: for a message about a particle;
    /// blocks.
    State full_state() const;

    /// The extremes of the list positions (or present ones) along open axes, the box along periodic
    /// ones; blocks if there is an open axis.
    Bounds find_bounds(ListPositions positions) const;

    ParticleView view() const;
    cuda::ParticleArrays arrays() const
    {
        return copies_[static_cast<std::size_t>(present_)].view();
    }
    std::int64_t count() const
    {
        return count_;
    }
    Box const& box() const
    {
        return box_;
    }
    /// The table of cells of the last sort, as cuda::sort_by_cell() writes it.
    std::int32_t const* cell_table() const
    {
        return cell_table_.data();
    }
    std::int64_t bytes() const;
    static std::int64_t bytes_per_particle();

private:
    struct Copy : SortedAttributes<DeviceBuffer>
    {
        cuda::ParticleArrays view() const
        {
            cuda::ParticleArrays arrays{};
            walk([]<class T>(T*& array, DeviceBuffer<T> const& buffer) { array = buffer.data(); },
                 arrays, *this);
            return arrays;
        }
    };

    bool crowds(CellGrid const& grid);
    template <class T>
    void fetch(T const* values, T* scratch, std::vector<T>& host) const;

    cudaStream_t stream_;
    Box box_;
    std::int64_t count_ = 0;
    std::array<Copy, 2> copies_;
    int present_ = 0;
    DeviceBuffer<Vec3<double>> force_;
    DeviceBuffer<double> mass_;

    DeviceBuffer<std::uint32_t> key_, sorted_key_;
    DeviceBuffer<std::int32_t> index_, order_, cell_table_;
    DeviceBuffer<std::byte> sort_temporary_;
    DeviceBuffer<Bounds> partial_bounds_;
    DeviceBuffer<unsigned long long> shared_cells_;
};

}  // namespace tessera
