#include "engine/cuda/particles.hpp"

#include <algorithm>
#include <numeric>

namespace tessera
{

void CudaParticles::load(State const& state)
{
    box_ = state.box;
    id_ = state.id;
    count_ = state.particle_count();
    auto const size = static_cast<std::size_t>(count_);
    present_ = 0;
    for (Copy& copy : copies_)
    {
        copy.position = DeviceBuffer<Vec3<double>>(size, stream_);
        copy.velocity = DeviceBuffer<Vec3<double>>(size, stream_);
        copy.reference = DeviceBuffer<Vec3<double>>(size, stream_);
        copy.image = DeviceBuffer<Vec3<std::int32_t>>(size, stream_);
        copy.species = DeviceBuffer<std::int32_t>(size, stream_);
        copy.rank = DeviceBuffer<std::int32_t>(size, stream_);
    }
    force_ = DeviceBuffer<Vec3<double>>(size, stream_);
    force_.fill_bytes(0, stream_);
    mass_ = DeviceBuffer<double>(std::span<double const>(state.species_mass), stream_);
    key_ = DeviceBuffer<std::uint32_t>(size, stream_);
    sorted_key_ = DeviceBuffer<std::uint32_t>(size, stream_);
    index_ = DeviceBuffer<std::int32_t>(size, stream_);
    order_ = DeviceBuffer<std::int32_t>(size, stream_);
    cell_table_ = DeviceBuffer<std::int32_t>(
        static_cast<std::size_t>(cuda::cell_table_size(count_)), stream_);
    sort_temporary_ = DeviceBuffer<std::byte>(cuda::sort_temporary_bytes(count_), stream_);
    partial_bounds_ = DeviceBuffer<Bounds>(cuda::bounds_blocks, stream_);
    shared_cells_ = DeviceBuffer<unsigned long long>(1, stream_);

    Copy const& copy = copies_.front();
    copy.position.upload(state.position, stream_);
    copy.velocity.upload(state.velocity, stream_);
    copy.image.upload(state.image, stream_);
    copy.species.upload(state.species, stream_);
    copy.reference.upload(state.list_position.empty() ? state.position : state.list_position,
                          stream_);
    std::vector<std::int32_t> rank(size);
    std::iota(rank.begin(), rank.end(), 0);
    copy.rank.upload(rank, stream_);
    // The host arrays may go once this returns.
    cuda_check(cudaStreamSynchronize(stream_), "copy the particles to the device");
}

CellGrid CudaParticles::sort(Bounds const& bounds, double radius, ListPositions positions)
{
    cuda::ParticleArrays from = arrays();
    if (positions == ListPositions::present)
    {
        from.reference = from.position;
    }
    cuda::SortScratch const scratch{key_.data(),   sorted_key_.data(),     index_.data(),
                                    order_.data(), sort_temporary_.data(), sort_temporary_.size()};
    auto const sort_in = [&](CellGrid const& grid) {
        cuda::sort_by_cell(from.reference, from.rank, count_, grid, scratch, cell_table_.data(),
                           stream_);
    };
    GridSpec const spec = cuda::device_grid_spec(box_, bounds, radius);
    CellGrid grid = lay_dense(spec, count_);
    bool serves = grid.widening <= most_widening;
    if (serves)
    {
        sort_in(grid);
        serves = grid.widening == 1.0 || !crowds(grid);
    }
    if (!serves)
    {
        grid = lay_sparse(spec);
        sort_in(grid);
    }
    present_ = 1 - present_;
    cuda::permute(from, order_.data(), count_, arrays(), stream_);
    return grid;
}

/// Whether particles share the cells of the dense grid that they are sorted in with too many.
bool CudaParticles::crowds(CellGrid const& grid)
{
    cuda::sum_shared_cells(cell_table_.data(), grid.cell_count(), shared_cells_.data(), stream_);
    std::vector<unsigned long long> shared(1);
    shared_cells_.download(shared, stream_);
    // The grid is laid on the host; those with cells as small as asked never come here.
    cuda_check(cudaStreamSynchronize(stream_), "count the particles of cells");
    return static_cast<double>(shared.front()) > crowded_cell * static_cast<double>(count_);
}

template <class T>
void CudaParticles::fetch(T const* values, T* scratch, std::vector<T>& host) const
{
    auto const size = static_cast<std::size_t>(count_);
    cuda::scatter_by_rank(values, arrays().rank, count_, scratch, stream_);
    host.resize(size);
    cuda_check(
        cudaMemcpyAsync(host.data(), scratch, size * sizeof(T), cudaMemcpyDeviceToHost, stream_),
        "copy particles to the host");
}

void CudaParticles::save(State& state) const
{
    cuda::ParticleArrays const from = arrays();
    cuda::ParticleArrays const scratch = copies_[static_cast<std::size_t>(1 - present_)].view();
    fetch(from.position, scratch.position, state.position);
    fetch(from.velocity, scratch.velocity, state.velocity);
    fetch(from.reference, scratch.reference, state.list_position);
    fetch(from.image, scratch.image, state.image);
    fetch<Vec3<double>>(force_.data(), scratch.position, state.force);
    cuda_check(cudaStreamSynchronize(stream_), "copy particles to the host");
}

State CudaParticles::full_state() const
{
    State state;
    save(state);
    state.box = box_;
    state.id = id_;
    fetch(arrays().species, copies_[static_cast<std::size_t>(1 - present_)].view().species,
          state.species);
    state.species_mass.resize(mass_.size());
    mass_.download(state.species_mass, stream_);
    cuda_check(cudaStreamSynchronize(stream_), "copy particles to the host");
    return state;
}

Bounds CudaParticles::find_bounds(ListPositions positions) const
{
    Bounds bounds{{0.0, 0.0, 0.0}, box_.edges};
    if (box_.periodic(0) && box_.periodic(1) && box_.periodic(2))
    {
        return bounds;
    }
    cuda::ParticleArrays const from = arrays();
    cuda::partial_bounds(positions == ListPositions::present ? from.position : from.reference,
                         count_, partial_bounds_.data(), stream_);
    std::vector<Bounds> partial(cuda::bounds_blocks);
    partial_bounds_.download(partial, stream_);
    // The grid is laid on the host, and open axes need the extremes for it.
    cuda_check(cudaStreamSynchronize(stream_), "find the particles' extremes");
    for (int axis = 0; axis < 3; ++axis)
    {
        if (!box_.periodic(axis))
        {
            bounds.low[axis] = partial.front().low[axis];
            bounds.high[axis] = partial.front().high[axis];
            for (Bounds const& part : partial)
            {
                bounds.low[axis] = std::min(bounds.low[axis], part.low[axis]);
                bounds.high[axis] = std::max(bounds.high[axis], part.high[axis]);
            }
        }
    }
    return bounds;
}

ParticleView CudaParticles::view() const
{
    cuda::ParticleArrays const now = arrays();
    return {now.position, now.velocity, force_.data(), now.image,
            now.species,  count_,       mass_.data()};
}

std::int64_t CudaParticles::bytes_per_particle()
{
    // Two copies of the arrays that are sorted, forces, and the scratch of the sort: keys and
    // indices twice, the library's own (about as much again), and four cells a particle.
    return 2 * (3 * 24 + 12 + 2 * 4) + 24 + 2 * (4 + 4) + (4 + 4) + 4 * 4;
}

std::int64_t CudaParticles::bytes() const
{
    return count_ * bytes_per_particle();
}

}  // namespace tessera
