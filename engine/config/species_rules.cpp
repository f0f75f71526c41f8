#include "engine/config/species_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera
{
namespace
{

using Problems = std::vector<Problem>;

void check_fractions(Problems& problems, SystemConfig const& system)
{
    std::size_t given = 0;
    double sum = 0.0;
    for (std::size_t index = 0; index < system.species.size(); ++index)
    {
        std::optional<double> const fraction = system.species[index].fraction;
        if (!fraction)
        {
            continue;
        }
        ++given;
        sum += *fraction;
        if (!(*fraction >= 0.0 && *fraction <= 1.0))
        {
            problems.push_back({fmt::format("system.species.{}.fraction", index),
                                fmt::format("is {}; it is a share of the particles; give a number "
                                            "from 0 to 1",
                                            *fraction)});
        }
    }
    if (given == 0)
    {
        return;
    }
    if (std::holds_alternative<FileConfig>(system.start))
    {
        problems.push_back({"system.species",
                            "has fractions, but the particles of system.file "
                            "have their species already; remove the fractions"});
    }
    else if (given != system.species.size())
    {
        problems.push_back(
            {"system.species", fmt::format("has {} of {} fractions; shares need all or none; give "
                                           "every species one",
                                           given, system.species.size())});
    }
    // Fractions such as 0.333333333 are meant to add up; 1e-9 is far below one particle.
    else if (!(std::abs(sum - 1.0) <= 1e-9))
    {
        problems.push_back(
            {"system.species", fmt::format("has fractions that add up to {}; shares add up to 1; "
                                           "change one of them",
                                           sum)});
    }
}

bool printable_word(std::string const& name)
{
    return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
        auto const byte = static_cast<unsigned char>(c);
        return byte <= 0x20 || byte == 0x7f;
    });
}

}  // namespace

std::vector<Problem> check_species(SystemConfig const& system)
{
    Problems problems;
    if (system.species.empty())
    {
        problems.push_back({"system.species", "is empty; every particle has a species; name one"});
    }
    for (std::size_t index = 0; index < system.species.size(); ++index)
    {
        SpeciesConfig const& species = system.species[index];
        std::string const key = fmt::format("system.species.{}", index);
        if (!(species.mass > 0.0 && std::isfinite(species.mass)))
        {
            problems.push_back({key + ".mass", fmt::format("is {}; particles have inertia; give a "
                                                           "number above 0",
                                                           species.mass)});
        }
        if (!printable_word(species.name))
        {
            problems.push_back(
                {key + ".name", fmt::format("'{}' is empty or has blanks; text files separate "
                                            "species by blanks; give one word",
                                            species.name)});
        }
        for (std::size_t before = 0; before < index; ++before)
        {
            if (system.species[before].name == species.name)
            {
                problems.push_back(
                    {key + ".name", fmt::format("'{}' is the name of species {} too; names tell "
                                                "species apart; rename one",
                                                species.name, before)});
                break;
            }
        }
    }
    check_fractions(problems, system);
    return problems;
}

}  // namespace tessera
