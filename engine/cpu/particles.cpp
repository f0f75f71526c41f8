#include "engine/cpu/particles.hpp"

#include <numeric>

namespace tessera
{

void Particles::load(State const& state)
{
    box_ = state.box;
    mass_ = state.species_mass;
    State::walk([](auto& to, auto const& from) { to = from; }, now_, state);
    if (state.list_position.empty())
    {
        now_.list_position = state.position;
    }
    force_.assign(now_.position.size(), {});
    now_.place.resize(now_.position.size());
    std::iota(now_.place.begin(), now_.place.end(), 0);
}

template <class T>
void Particles::permute(std::vector<T>& values)
{
    std::int32_t const* const order = cell_sort_.order().data();
    std::vector<T>& scratch = std::get<std::vector<T>>(scratch_);
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
    CellGrid const grid = cell_sort_.sort(now_.list_position.data(), now_.id.data(), count(),
                                          {box_, bounds, {edge, edge, edge}, radius});
    now_.walk([&](auto& values) { permute(values); }, now_);
    return grid;
}

template <class T>
void Particles::in_id_order(std::vector<T> const& values, std::vector<T>& to) const
{
    to.resize(values.size());
#pragma omp parallel for schedule(static)
    for (std::size_t index = 0; index < values.size(); ++index)
    {
        to[static_cast<std::size_t>(now_.place[index])] = values[index];
    }
}

void Particles::save(State& state) const
{
    state.box = box_;
    State::walk_motion([&](auto const& values, auto& to) { in_id_order(values, to); }, now_, state);
    in_id_order(force_, state.force);
}

State Particles::full_state() const
{
    State state;
    save(state);
    State::walk_identity([&](auto const& values, auto& to) { in_id_order(values, to); }, now_,
                         state);
    state.species_mass = mass_;
    return state;
}

ParticleView Particles::view()
{
    return {now_.position.data(), now_.velocity.data(), force_.data(),
            now_.image.data(),    now_.species.data(),  count(),
            mass_.data()};
}

std::int64_t Particles::bytes() const
{
    std::int64_t bytes = cell_sort_.bytes();
    auto const add = [&](auto const& values) {
        bytes += static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
    };
    now_.walk(add, now_);
    add(force_);
    std::apply([&](auto const&... scratch) { (add(scratch), ...); }, scratch_);
    return bytes;
}

}  // namespace tessera
