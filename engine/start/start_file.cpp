#include "engine/start/start_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/start/start_pairs.hpp"

namespace tessera
{
namespace
{

using Problems = std::vector<Problem>;

std::string list_names(std::vector<SpeciesConfig> const& species)
{
    std::string list;
    for (SpeciesConfig const& one : species)
    {
        list += (list.empty() ? "" : ", ") + one.name;
    }
    return list;
}

std::string list_names(std::vector<FileSpecies> const& species)
{
    std::string list;
    for (FileSpecies const& one : species)
    {
        list += (list.empty() ? "" : ", ") + one.name;
    }
    return list;
}

/// Finds the input's species for each of the file's.
class SpeciesMatch
{
public:
    SpeciesMatch(StartFile const& file, std::vector<SpeciesConfig> const& species,
                 Problems& problems)
        : file_(file), species_(species), problems_(problems)
    {
        for (std::size_t index = 0; index < species.size(); ++index)
        {
            place_.emplace(species[index].name, index);
        }
    }

    /// The input's index for each species of the file; empty, with a problem, if one has none.
    std::vector<std::size_t> find()
    {
        bool const all_named = std::all_of(
            file_.species.begin(), file_.species.end(),
            [&](FileSpecies const& one) { return place_.find(one.name) != place_.end(); });
        if (all_named)
        {
            return by_name();
        }
        return file_.naming == SpeciesNaming::stated ? refuse_names() : by_number();
    }

private:
    std::vector<std::size_t> by_name() const
    {
        std::vector<std::size_t> indices;
        for (FileSpecies const& one : file_.species)
        {
            indices.push_back(place_.at(one.name));
        }
        return indices;
    }

    std::vector<std::size_t> refuse_names()
    {
        auto const unknown = std::find_if(
            file_.species.begin(), file_.species.end(),
            [&](FileSpecies const& one) { return place_.find(one.name) == place_.end(); });
        fail(fmt::format(
            "names {}, but {} has species '{}', which is none of them; names are the "
            "file's: give its names ({}), or leave species out to take them",
            list_names(species_), file_.path, unknown->name, list_names(file_.species)));
        return {};
    }

    /// The number of the file's first species, where the numbers of its particles tell.
    std::optional<std::int64_t> first_number() const
    {
        if (file_.first_number)
        {
            return file_.first_number;
        }
        std::int64_t lowest = file_.species.front().number, highest = lowest;
        for (FileSpecies const& one : file_.species)
        {
            lowest = std::min(lowest, one.number);
            highest = std::max(highest, one.number);
        }
        auto const count = static_cast<std::int64_t>(species_.size());
        if (lowest >= 1 && highest < count)
        {
            return std::nullopt;  // 1 may be the first or the second
        }
        return lowest >= 1 ? 1 : 0;
    }

    std::vector<std::size_t> by_number()
    {
        std::optional<std::int64_t> const first = first_number();
        if (!first)
        {
            fail(
                fmt::format("names {}, but {} numbers its species ({}) and does not say whether "
                            "from 0 or from 1; name the species by the file's numbers, such as "
                            "{{name: \"{}\"}}",
                            list_names(species_), file_.path, list_names(file_.species),
                            file_.species.front().number));
            return {};
        }
        std::vector<std::size_t> indices;
        for (FileSpecies const& one : file_.species)
        {
            std::int64_t const index = one.number - *first;
            if (index < 0 || index >= static_cast<std::int64_t>(species_.size()))
            {
                fail(
                    fmt::format("names {} species ({}), but {} has species {} ({} in all), "
                                "counted from {}; list one for each, in the file's order, or "
                                "leave species out to take them",
                                species_.size(), list_names(species_), file_.path, one.number,
                                file_.species.size(), *first));
                return {};
            }
            auto const named = place_.find(one.name);
            if (named != place_.end() && named->second != static_cast<std::size_t>(index))
            {
                fail(
                    fmt::format("names {}: by its place species {} of {} is '{}', by its name "
                                "'{}'; give the file's names ({}) in its order",
                                list_names(species_), one.number, file_.path,
                                species_[static_cast<std::size_t>(index)].name, one.name,
                                list_names(file_.species)));
                return {};
            }
            indices.push_back(static_cast<std::size_t>(index));
        }
        return indices;
    }

    void fail(std::string message)
    {
        problems_.push_back({"system.species", std::move(message)});
    }

    StartFile const& file_;
    std::vector<SpeciesConfig> const& species_;
    Problems& problems_;
    std::unordered_map<std::string, std::size_t> place_;
};

void take_masses(Config& config, InputStatements const& said, StartFile const& file,
                 std::vector<std::size_t> const& indices, Problems& problems)
{
    for (std::size_t of_file = 0; of_file < indices.size(); ++of_file)
    {
        std::optional<StatedNumber> const& mass = file.species[of_file].mass;
        std::size_t const index = indices[of_file];
        SpeciesConfig& species = config.system.species[index];
        if (!mass)
        {
            continue;
        }
        if (index >= said.masses.size() || !said.masses[index])
        {
            species.mass = mass->value;
        }
        // The input's number is the more exact where the file's has fewer digits.
        else if (!agrees(species.mass, *mass))
        {
            problems.push_back(
                {fmt::format("system.species.{}.mass", index),
                 fmt::format("is {}, but {} says {} for species '{}'; masses are "
                             "the file's: remove this one, or correct it",
                             species.mass, file.path, mass->value, file.species[of_file].name)});
        }
    }
}

/// The file's species in its order; a single one without a name keeps the default's.
void take_species(SystemConfig& system, StartFile const& file)
{
    bool const nameless = file.naming == SpeciesNaming::numbered && file.species.size() == 1;
    std::string const usual = SystemConfig{}.species.front().name;
    system.species.clear();
    for (FileSpecies const& one : file.species)
    {
        system.species.push_back({nameless ? usual : one.name, 1.0, std::nullopt});
    }
}

std::string list_boundary(Vec3<Boundary> const& boundary)
{
    auto const name = [&](int axis) {
        return boundary[axis] == Boundary::periodic ? "periodic" : "open";
    };
    return fmt::format("[{}, {}, {}]", name(0), name(1), name(2));
}

void take_boundary(SystemConfig& system, InputStatements const& said, StartFile const& file,
                   Problems& problems)
{
    if (!file.boundary)
    {
        return;
    }
    if (said.boundary && !(system.boundary == *file.boundary))
    {
        problems.push_back({"system.boundary",
                            fmt::format("is {}, but {} says {}; the boundary is the file's: remove "
                                        "this one, or correct it",
                                        list_boundary(system.boundary), file.path,
                                        list_boundary(*file.boundary))});
        return;
    }
    system.boundary = *file.boundary;
}

}  // namespace

std::vector<Problem> take_start_file(Config& config, InputStatements const& said, StartFile& file)
{
    Problems problems;
    SystemConfig& system = config.system;
    if (file.state.velocity.empty() && !system.temperature)
    {
        problems.push_back(
            {"system.temperature",
             fmt::format("is missing, and {} has no velocities; add it, 0 for rest", file.path)});
    }
    take_boundary(system, said, file, problems);
    if (!said.species)
    {
        take_species(system, file);
    }
    std::vector<std::size_t> indices(file.species.size());
    for (std::size_t index = 0; index < indices.size(); ++index)
    {
        indices[index] = index;
    }
    if (said.species)
    {
        indices = SpeciesMatch(file, system.species, problems).find();
    }
    if (indices.size() != file.species.size())
    {
        return problems;
    }
    take_masses(config, said, file, indices, problems);
    take_pairs(config, said, file, indices, problems);

    State& state = file.state;
    state.box.boundary = system.boundary;
    for (std::int32_t& one : state.species)
    {
        one = static_cast<std::int32_t>(indices.at(static_cast<std::size_t>(one)));
    }
    state.species_names.clear();
    state.species_mass.clear();
    for (SpeciesConfig const& one : system.species)
    {
        state.species_names.push_back(one.name);
        state.species_mass.push_back(one.mass);
    }
    return problems;
}

}  // namespace tessera
