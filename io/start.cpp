#include "io/start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "engine/errors.hpp"
#include "io/checkpoint.hpp"
#include "io/h5md_read.hpp"
#include "io/lammps_data.hpp"
#include "io/xyz.hpp"

namespace tessera
{

namespace
{

State read_trajectory_frame(FileConfig const& file)
{
    TrajectoryReader const reader(file.path);
    if (reader.frame_count() == 0)
    {
        throw IoError(
            fmt::format("{}: the trajectory holds no complete frame.", file.path.string()));
    }
    State state = reader.read(file.frame.value_or(reader.frame_count() - 1));
    auto const fields = reader.fields();
    // each is a name and a type: "velocity float32"
    if (std::none_of(fields.begin(), fields.end(),
                     [](std::string const& field) { return field.starts_with("velocity "); }))
    {
        state.velocity.clear();
    }
    return state;
}

State read_single_frame(FileConfig const& file)
{
    if (file.frame.value_or(0) != 0)
    {
        throw ConfigError(
            fmt::format("system.file.frame: {} holds one frame, there is no frame {}.",
                        file.path.string(), *file.frame));
    }
    return is_checkpoint(file.path) ? read_checkpoint(file.path).checkpoint.state
                                    : read_lammps_data(file.path);
}

State read_any(FileConfig const& file)
{
    std::string const extension = file.path.extension().string();
    if (extension == ".h5" || extension == ".h5md")
    {
        return is_checkpoint(file.path) ? read_single_frame(file) : read_trajectory_frame(file);
    }
    if (extension == ".xyz" || extension == ".extxyz")
    {
        return read_xyz(file.path, file.frame);
    }
    if (extension == ".data" || extension == ".lmp")
    {
        return read_single_frame(file);
    }
    throw ConfigError(
        fmt::format("system.file: {} has an unknown extension; .h5, .h5md, .xyz, "
                    ".extxyz, .data and .lmp are read.",
                    file.path.string()));
}

std::vector<std::string> names_of(SystemConfig const& system)
{
    std::vector<std::string> names;
    for (SpeciesConfig const& species : system.species)
    {
        names.push_back(species.name);
    }
    return names;
}

/// The input's species for each of the file's; -1 where the input has none of that name.
std::vector<std::int32_t> map_names(State const& state, std::vector<std::string> const& names)
{
    std::vector<std::int32_t> map;
    for (std::string const& name : state.species_names)
    {
        auto const found = std::find(names.begin(), names.end(), name);
        map.push_back(found == names.end() ? -1 : static_cast<std::int32_t>(found - names.begin()));
    }
    return map;
}

void assign_named_species(State& state, std::vector<std::string> const& names,
                          std::string const& path)
{
    std::vector<std::int32_t> const map = map_names(state, names);
    for (std::size_t particle = 0; particle < state.species.size(); ++particle)
    {
        auto const species = static_cast<std::size_t>(state.species[particle]);
        if (species >= map.size())
        {
            throw IoError(fmt::format("{}: particle {} has species {}, but only {} are named.",
                                      path, state.id[particle], species, map.size()));
        }
        if (map[species] < 0)
        {
            throw ConfigError(
                fmt::format("system.species: {} has particles of species '{}', the "
                            "input names {}. Add it there.",
                            path, state.species_names[species], fmt::join(names, ", ")));
        }
        state.species[particle] = map[species];
    }
}

void assign_numbered_species(State& state, std::vector<std::string> const& names,
                             std::string const& path)
{
    auto const [lowest, highest] = std::minmax_element(state.species.begin(), state.species.end());
    auto const count = static_cast<std::int32_t>(names.size());
    std::int32_t const first = *lowest >= 1 && *highest == count ? 1 : 0;
    if (*lowest < 0 || *highest - first >= count)
    {
        throw ConfigError(
            fmt::format("system.species: {} has particles of {} species, the input "
                        "names {} ({}). List one for each, in the file's order.",
                        path, *highest + 1 - first, count, fmt::join(names, ", ")));
    }
    for (std::int32_t& species : state.species)
    {
        species -= first;
    }
}

void assign_species(State& state, SystemConfig const& system, std::string const& path)
{
    std::vector<std::string> const names = names_of(system);
    if (state.species_names.empty())
    {
        assign_numbered_species(state, names, path);
    }
    else
    {
        assign_named_species(state, names, path);
    }
    state.species_names = names;
    state.species_mass.clear();
    for (SpeciesConfig const& species : system.species)
    {
        state.species_mass.push_back(species.mass);
    }
}

template <class T>
void permute(std::vector<T>& values, std::vector<std::size_t> const& order)
{
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (std::size_t const index : order)
    {
        sorted.push_back(values[index]);
    }
    values = std::move(sorted);
}

void sort_by_id(State& state, std::string const& path)
{
    std::vector<std::size_t> order(state.id.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return state.id[a] < state.id[b]; });
    permute(state.id, order);
    permute(state.species, order);
    permute(state.position, order);
    permute(state.image, order);
    if (!state.velocity.empty())
    {
        permute(state.velocity, order);
    }
    auto const twice = std::adjacent_find(state.id.begin(), state.id.end());
    if (twice != state.id.end())
    {
        throw IoError(fmt::format("{}: two particles have id {}.", path, *twice));
    }
}

void check_numbers(State const& state, std::string const& path)
{
    if (state.position.empty())
    {
        throw IoError(fmt::format("{}: the file holds no particles.", path));
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        double const edge = state.box.edges[axis];
        if (!std::isfinite(edge) || edge <= 0.0)
        {
            throw IoError(fmt::format("{}: the box edge along {} is {}; it must be above 0.", path,
                                      "xyz"[axis], edge));
        }
        for (std::size_t particle = 0; particle < state.position.size(); ++particle)
        {
            // so far out the image count of a wrapped position would not fit into 32 bits
            double const position = state.position[particle][axis];
            double const boxes = std::abs(position / edge) +
                                 std::abs(static_cast<double>(state.image[particle][axis]));
            double const speed = state.velocity.empty() ? 0.0 : state.velocity[particle][axis];
            if (!(boxes < 2147483000.0) || !std::isfinite(speed))
            {
                throw IoError(
                    fmt::format("{}: particle {} has a position or velocity along {} "
                                "that is not finite or absurdly large ({}, {}).",
                                path, state.id[particle], "xyz"[axis], position, speed));
            }
        }
    }
}

void place_in_box(State& state)
{
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            if (!state.box.periodic(axis))
            {
                state.position[particle][axis] +=
                    state.image[particle][axis] * state.box.edges[axis];
                state.image[particle][axis] = 0;
            }
        }
        wrap(state.position[particle], state.image[particle], state.box);
    }
}

}  // namespace

State read_start(FileConfig const& file, SystemConfig const& system)
{
    std::string const path = file.path.string();
    State state = read_any(file);
    check_numbers(state, path);
    assign_species(state, system, path);
    sort_by_id(state, path);
    state.box.boundary = system.boundary;
    place_in_box(state);
    state.step = 0;
    state.time = 0.0;
    state.force.assign(state.position.size(), {});
    state.list_position.clear();
    return state;
}

}  // namespace tessera
