#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "engine/initial.hpp"

namespace tessera
{
namespace
{

std::string list_names(std::vector<SpeciesConfig> const& species)
{
    std::string list;
    for (SpeciesConfig const& one : species)
    {
        list += (list.empty() ? "" : ", ") + one.name;
    }
    return list;
}

/// The input's species that a name of the file means: the same name or, where a format knows only
/// numbers, the number counting from 1.
std::int32_t match_species(std::string const& name, std::vector<SpeciesConfig> const& species)
{
    for (std::size_t index = 0; index < species.size(); ++index)
    {
        if (species[index].name == name)
        {
            return static_cast<std::int32_t>(index);
        }
    }
    std::size_t number = 0;
    auto const [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc{} && end == name.data() + name.size() && number >= 1 &&
        number <= species.size())
    {
        return static_cast<std::int32_t>(number - 1);
    }
    throw ConfigError(
        fmt::format("system.file: the file has species '{}', which the input does "
                    "not name; known: {}; add it to system.species",
                    name, list_names(species)));
}

void rename_species(State& state, std::vector<SpeciesConfig> const& species)
{
    std::vector<std::int32_t> mapped;
    for (std::size_t index = 0; index < state.species_names.size(); ++index)
    {
        bool const used = std::find(state.species.begin(), state.species.end(),
                                    static_cast<std::int32_t>(index)) != state.species.end();
        mapped.push_back(used ? match_species(state.species_names[index], species) : -1);
    }
    for (std::int32_t& one : state.species)
    {
        one = mapped.at(static_cast<std::size_t>(one));
    }
    state.species_names.clear();
    state.species_mass.clear();
    for (SpeciesConfig const& one : species)
    {
        state.species_names.push_back(one.name);
        state.species_mass.push_back(one.mass);
    }
}

template <class T>
void permute(std::vector<T>& values, std::vector<std::size_t> const& order)
{
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (std::size_t const from : order)
    {
        sorted.push_back(values[from]);
    }
    values = std::move(sorted);
}

/// Ids strictly ascending, as the whole program relies on.
void sort_by_id(State& state)
{
    std::vector<std::size_t> order(state.id.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return state.id[a] < state.id[b]; });
    permute(state.id, order);
    permute(state.species, order);
    permute(state.position, order);
    permute(state.image, order);
    permute(state.velocity, order);
    auto const twice = std::adjacent_find(state.id.begin(), state.id.end());
    if (twice != state.id.end())
    {
        throw ConfigError(
            fmt::format("system.file: the id {} is there twice; ids tell particles "
                        "apart; renumber the file's particles",
                        *twice));
    }
}

bool finite(Vec3<double> const& v)
{
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// Image flags have 32 bits; a particle that far away has no digits left anyway.
bool within_reach(Vec3<double> const& position, Box const& box)
{
    double const boxes = 1e9;
    return std::abs(position.x) < boxes * box.edges.x &&
           std::abs(position.y) < boxes * box.edges.y && std::abs(position.z) < boxes * box.edges.z;
}

void require_finite(State const& state)
{
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        if (finite(state.position[particle]) && !within_reach(state.position[particle], state.box))
        {
            throw ConfigError(
                fmt::format("system.file: particle {} is more than 1e9 boxes away; "
                            "its position has no digits left; correct the file",
                            state.id[particle]));
        }
        if (!finite(state.position[particle]) || !finite(state.velocity[particle]))
        {
            throw ConfigError(
                fmt::format("system.file: particle {} has a position or velocity "
                            "that is not finite; such a state cannot be continued; "
                            "choose an earlier frame",
                            state.id[particle]));
        }
    }
}

}  // namespace

void complete_file_state(State& state, Config const& config)
{
    std::size_t const count = state.position.size();
    if (count == 0)
    {
        throw ConfigError(
            "system.file: the file has no particles; a run needs at least one; "
            "choose another file or frame");
    }
    bool const has_velocities = !state.velocity.empty();
    if (!has_velocities && !config.system.temperature)
    {
        throw ConfigError(
            "system.file: the file has no velocities, and system.temperature is "
            "missing; add it, 0 for rest");
    }
    state.box.boundary = config.system.boundary;
    state.step = 0;
    state.time = 0.0;
    state.image.resize(count);
    state.velocity.resize(count);
    state.force.assign(count, Vec3<double>{});
    state.list_position.clear();
    sort_by_id(state);
    require_finite(state);
    rename_species(state, config.system.species);
    for (std::size_t particle = 0; particle < count; ++particle)
    {
        wrap(state.position[particle], state.image[particle], state.box);
    }
    if (config.system.temperature)
    {
        set_maxwell_velocities(state, *config.system.temperature, config.system.seed);
    }
}

}  // namespace tessera
