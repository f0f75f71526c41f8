#include "io/start/from_h5md.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/files/printable.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/text/input.hpp"

namespace tessera
{

namespace
{

[[noreturn]] void fail(StartFile const& file, std::string const& message)
{
    throw IoError(fmt::format("{}: {}", file.path, message));
}

/// What is in the file beside its particles, and would be dropped.
void refuse_more(TrajectoryReader const& reader, StartFile const& file, std::int64_t frame)
{
    auto const groups = reader.particle_groups();
    if (groups.size() > 1)
    {
        fail(file, fmt::format("the file has {} groups of particles ({}), of which one would be "
                               "read and the others dropped; copy the one that is meant to a file "
                               "of its own.",
                               groups.size(), list_foreign_names(groups)));
    }
    auto const roots = reader.root_groups();
    if (std::find(roots.begin(), roots.end(), "connectivity") != roots.end())
    {
        fail(file,
             "the file has bonds (/connectivity), which no force here knows; remove them to run "
             "without.");
    }
    auto const charges = reader.scalars("charge", frame);
    if (std::any_of(charges.begin(), charges.end(), [](double charge) { return charge != 0.0; }))
    {
        fail(file,
             "its particles have charges, which no force here knows; remove them to run without.");
    }
}

void notice_unused(TrajectoryReader const& reader, StartFile& file)
{
    constexpr std::string_view known[] = {"box",     "position", "image", "velocity", "force",
                                          "species", "mass",     "id",    "charge"};
    std::vector<std::string> unused;
    for (std::string const& element : reader.elements())
    {
        if (std::find(std::begin(known), std::end(known), element) == std::end(known))
        {
            unused.push_back(element);
        }
    }
    if (!unused.empty())
    {
        file.notices.push_back(fmt::format("{}: the particles' {} are not used", file.path,
                                           list_foreign_names(unused)));
    }
}

/// Names and masses that the file lists by species, as files written here do.
void take_listed_species(StartFile& file)
{
    State& state = file.state;
    if (state.species_names.size() > max_species ||
        state.species_names.size() != state.species_mass.size())
    {
        fail(file, fmt::format("it names {} species and has masses of {}; at most {} are read.",
                               state.species_names.size(), state.species_mass.size(), max_species));
    }
    for (std::size_t species = 0; species < state.species_names.size(); ++species)
    {
        double const mass = state.species_mass[species];
        if (!(mass > 0.0 && std::isfinite(mass)))
        {
            fail(file, fmt::format("species {} has mass {}; it must be above 0.", species, mass));
        }
        file.species.push_back({state.species_names[species], static_cast<std::int64_t>(species),
                                StatedNumber{mass, 0.0}});
    }
    for (std::size_t particle = 0; particle < state.species.size(); ++particle)
    {
        std::int32_t const species = state.species[particle];
        if (species < 0 || static_cast<std::size_t>(species) >= file.species.size())
        {
            fail(file, fmt::format("particle {} has species {}, but {} are named.",
                                   state.id[particle], species, file.species.size()));
        }
    }
}

/// The numbers of the particles' species, and those that have names.
std::vector<std::int64_t> species_numbers(
    StartFile const& file, std::vector<std::pair<std::int64_t, std::string>> const& labels)
{
    std::vector<std::int64_t> numbers(file.state.species.begin(), file.state.species.end());
    for (auto const& label : labels)
    {
        numbers.push_back(label.first);
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (numbers.size() > max_species)
    {
        fail(file, fmt::format("its particles are of {} species; a run has room for {}.",
                               numbers.size(), max_species));
    }
    return numbers;
}

/// Species that the file knows by number, perhaps with labels.
void take_numbered_species(TrajectoryReader const& reader, StartFile& file)
{
    auto labels = reader.species_labels();
    std::sort(labels.begin(), labels.end());
    std::vector<std::int64_t> const numbers = species_numbers(file, labels);
    file.naming = labels.size() == numbers.size() ? SpeciesNaming::stated : SpeciesNaming::numbered;
    for (std::size_t index = 0; index < numbers.size(); ++index)
    {
        file.species.push_back({file.naming == SpeciesNaming::stated
                                    ? labels[index].second
                                    : fmt::format("{}", numbers[index]),
                                numbers[index]});
    }
    for (std::int32_t& species : file.state.species)
    {
        auto const place = std::lower_bound(numbers.begin(), numbers.end(), species);
        species = static_cast<std::int32_t>(place - numbers.begin());
    }
}

/// Masses by species from those of the particles.
void take_masses(StartFile& file, std::vector<double> const& masses)
{
    for (std::size_t particle = 0; particle < masses.size(); ++particle)
    {
        double const mass = masses[particle];
        FileSpecies& species = file.species[static_cast<std::size_t>(file.state.species[particle])];
        if (!(mass > 0.0 && std::isfinite(mass)))
        {
            fail(file, fmt::format("particle {} has mass {}; it must be above 0.",
                                   file.state.id[particle], mass));
        }
        if (species.mass && species.mass->value != mass)
        {
            fail(file, fmt::format("particles of species {} have masses {} and {}; all of a "
                                   "species have the same: give those of other masses another.",
                                   species.name, species.mass->value, mass));
        }
        // A mass stored with 32 bits stands for every number that rounds to it.
        bool const narrow = static_cast<double>(static_cast<float>(mass)) == mass;
        species.mass = StatedNumber{mass, narrow ? std::ldexp(mass, -24) : 0.0};
    }
}

void require_names(StartFile const& file)
{
    std::set<std::string_view> seen;
    for (FileSpecies const& species : file.species)
    {
        if (!is_species_name(species.name))
        {
            fail(file, fmt::format("'{}' is no name of a species: one word of at most 64 bytes is.",
                                   printable(species.name)));
        }
        if (!seen.insert(species.name).second)
        {
            fail(file, fmt::format("two of its species have the name {}.", species.name));
        }
    }
}

}  // namespace

StartFile read_h5md_frame(TrajectoryReader const& reader, std::filesystem::path const& path,
                          std::int64_t frame)
{
    StartFile file;
    file.path = path.string();
    file.state = reader.read(frame);
    refuse_more(reader, file, frame);
    notice_unused(reader, file);
    if (reader.states_boundary())
    {
        file.boundary = file.state.box.boundary;
    }
    if (file.state.species_names.empty())
    {
        take_numbered_species(reader, file);
        take_masses(file, reader.scalars("mass", frame));
    }
    else
    {
        take_listed_species(file);
    }
    require_names(file);
    return file;
}

StartFile read_checkpoint_start(std::filesystem::path const& path)
{
    LoadedCheckpoint loaded = read_checkpoint(path);
    StartFile file;
    file.path = path.string();
    file.state = std::move(loaded.checkpoint.state);
    file.boundary = file.state.box.boundary;
    if (!loaded.notice.empty())
    {
        file.notices.push_back(loaded.notice);
    }
    take_listed_species(file);
    require_names(file);
    return file;
}

}  // namespace tessera
