#include "engine/cpu/particles.hpp"

#include <numeric>

namespace tessera
{

void Particles::load(State const& state)
{
    box_ = state.box;
    position_ = state.position;
    velocity_ = state.velocity;
    force_.assign(position_.size(), {});
    image_ = state.image;
    species_ = state.species;
    id_ = state.id;
    mass_ = state.species_mass;
    list_position_ = state.list_position.empty() ? state.position : state.list_position;
    rank_.resize(position_.size());
    std::iota(rank_.begin(), rank_.end(), 0);
}

template <class T>
void Particles::permute(std::vector<T>& values, std::vector<T>& scratch) const
{
    std::int32_t const* const order = cell_sort_.order().data();
    scratch.resize(values.size());
#pragma omp parallel for schedule(static)
    for (std::size_t index = 0; index < values.size(); ++index)
    {
        scratch[index] = values[static_cast<std::size_t>(order[index])];
    }
    values.swap(scratch);
}

CellGrid Particles::sort(Bounds const& bounds, double radius)
{
    double const edge = 0.5 * radius;
    CellGrid const grid = cell_sort_.sort(list_position_.data(), rank_.data(), count(),
                                          {box_, bounds, {edge, edge, edge}, radius});
    permute(position_, vec_scratch_);
    permute(velocity_, vec_scratch_);
    permute(force_, vec_scratch_);
    permute(list_position_, vec_scratch_);
    permute(image_, image_scratch_);
    permute(species_, int_scratch_);
    permute(rank_, int_scratch_);
    return grid;
}

void Particles::save(State& state) const
{
    std::size_t const size = position_.size();
    state.box = box_;
    state.position.resize(size);
    state.image.resize(size);
    state.velocity.resize(size);
    state.force.resize(size);
    state.list_position.resize(size);
#pragma omp parallel for schedule(static)
    for (std::size_t index = 0; index < size; ++index)
    {
        auto const rank = static_cast<std::size_t>(rank_[index]);
        state.position[rank] = position_[index];
        state.image[rank] = image_[index];
        state.velocity[rank] = velocity_[index];
        state.force[rank] = force_[index];
        state.list_position[rank] = list_position_[index];
    }
}

State Particles::full_state() const
{
    State state;
    save(state);
    state.id = id_;
    state.species_mass = mass_;
    state.species.resize(species_.size());
    for (std::size_t index = 0; index < species_.size(); ++index)
    {
        state.species[static_cast<std::size_t>(rank_[index])] = species_[index];
    }
    return state;
}

ParticleView Particles::view()
{
    return {position_.data(), velocity_.data(), force_.data(), image_.data(),
            species_.data(),  count(),          mass_.data()};
}

std::int64_t Particles::bytes() const
{
    auto const size_of = [](auto const& values) {
        return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
    };
    return size_of(position_) + size_of(velocity_) + size_of(force_) + size_of(list_position_) +
           size_of(image_) + size_of(species_) + size_of(rank_) + size_of(id_) +
           size_of(int_scratch_) + size_of(vec_scratch_) + size_of(image_scratch_) +
           cell_sort_.bytes();
}

}  // namespace tessera
