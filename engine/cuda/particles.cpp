#include "engine/cuda/particles.hpp"

#include <algorithm>
#include <numeric>

namespace tessera
{

void CudaParticles::load(State const& state)
{
    box_ = state.box;
    count_ = state.particle_count();
    auto const size = static_cast<std::size_t>(count_);
    present_ = 0;
    for (Copy& copy : copies_)
    {
        copy.walk(
            [&]<class T>(DeviceBuffer<T>& values) { values = DeviceBuffer<T>(size, stream_); },
            copy);
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
    State::walk([&](auto const& to, auto const& from) { to.upload(from, stream_); }, copy, state);
    if (state.list_position.empty())
    {
        copy.list_position.upload(state.position, stream_);
    }
    std::vector<std::int32_t> place(size);
    std::iota(place.begin(), place.end(), 0);
    copy.place.upload(place, stream_);
    // The host arrays may go once this returns.
    cuda_check(cudaStreamSynchronize(stream_), "copy the particles to the device");
}

CellGrid CudaParticles::sort(Bounds const& bounds, double radius, ListPositions positions)
{
    cuda::ParticleArrays from = arrays();
    if (positions == ListPositions::present)
    {
        from.list_position = from.position;
    }
    cuda::SortScratch const scratch{key_.data(),   sorted_key_.data(),     index_.data(),
                                    order_.data(), sort_temporary_.data(), sort_temporary_.size()};
    auto const sort_in = [&](CellGrid const& grid) {
        cuda::sort_by_cell(from.list_position, from.place, count_, grid, scratch,
                           cell_table_.data(), stream_);
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
    cuda::scatter_to_places(values, arrays().place, count_, scratch, stream_);
    host.resize(size);
    cuda_check(
        cudaMemcpyAsync(host.data(), scratch, size * sizeof(T), cudaMemcpyDeviceToHost, stream_),
        "copy particles to the host");
}

void CudaParticles::save(State& state) const
{
    cuda::ParticleArrays const scratch = copies_[static_cast<std::size_t>(1 - present_)].view();
    auto const fetch_each = [this](auto* values, auto* beside, auto& host) {
        fetch(values, beside, host);
    };
    State::walk_motion(fetch_each, arrays(), scratch, state);
    fetch_each(force_.data(), scratch.position, state.force);
    cuda_check(cudaStreamSynchronize(stream_), "copy particles to the host");
}

State CudaParticles::full_state() const
{
    State state;
    save(state);
    state.box = box_;
    State::walk_identity(
        [this](auto* values, auto* beside, auto& host) { fetch(values, beside, host); }, arrays(),
        copies_[static_cast<std::size_t>(1 - present_)].view(), state);
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
    cuda::partial_bounds(positions == ListPositions::present ? from.position : from.list_position,
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
    // Two copies of the attributes, forces, and the scratch of the sort: keys and indices twice,
    // the library's own (about as much again), and four cells a particle.
    return 2 * attribute_bytes<SortedAttributes>() + 24 + 2 * (4 + 4) + (4 + 4) + 4 * 4;
}

std::int64_t CudaParticles::bytes() const
{
    return count_ * bytes_per_particle();
}

}  // namespace tessera
