#include "engine/start/start_pairs.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tessera
{
namespace
{

using Problems = std::vector<Problem>;

/// A pair of the file under the config's names.
struct NamedPair
{
    FilePair const& file;
    std::string const &first, &second;
};

PairConfig* find_pair(PotentialConfig& potential, NamedPair const& wanted)
{
    for (PairConfig& pair : potential.pairs)
    {
        if ((pair.first == wanted.first && pair.second == wanted.second) ||
            (pair.first == wanted.second && pair.second == wanted.first))
        {
            return &pair;
        }
    }
    return nullptr;
}

void hold_against(double given, StatedNumber const& stated, std::string_view what,
                  std::string const& key, std::string const& path, NamedPair const& pair,
                  Problems& problems)
{
    if (!agrees(given, stated))
    {
        problems.push_back(
            {key, fmt::format("gives the pair {}-{} a {} of {}, but {} says {}; the "
                              "input may leave out what the file says, not change "
                              "it: remove one, or correct it",
                              pair.first, pair.second, what, given, path, stated.value)});
    }
}

void hold_pair(PairConfig const& given, std::string const& path, NamedPair const& pair,
               Problems& problems)
{
    std::string const key = "potential.pairs";
    hold_against(given.epsilon, pair.file.epsilon, "epsilon", key, path, pair, problems);
    hold_against(given.sigma, pair.file.sigma, "sigma", key, path, pair, problems);
    if (given.cutoff && pair.file.cutoff)
    {
        hold_against(*given.cutoff, *pair.file.cutoff, "cutoff", key, path, pair, problems);
    }
}

/// The cutoff of a pair that has none of its own in the input.
void take_cutoff(PairConfig& pair, Config const& config, InputStatements const& said,
                 std::string const& path, NamedPair const& named, Problems& problems)
{
    if (pair.cutoff || !named.file.cutoff)
    {
        return;
    }
    if (said.cutoff)
    {
        hold_against(config.potential.cutoff, *named.file.cutoff, "cutoff", "potential.cutoff",
                     path, named, problems);
        return;
    }
    pair.cutoff = named.file.cutoff->value;
}

}  // namespace

void take_pairs(Config& config, InputStatements const& said, StartFile const& file,
                std::vector<std::size_t> const& indices, std::vector<Problem>& problems)
{
    std::vector<SpeciesConfig> const& species = config.system.species;
    PotentialConfig& potential = config.potential;
    if (!said.pairs)
    {
        potential.pairs.clear();
    }
    for (FilePair const& pair : file.pairs)
    {
        NamedPair const named{pair, species[indices.at(pair.first)].name,
                              species[indices.at(pair.second)].name};
        PairConfig* taken = find_pair(potential, named);
        if (taken != nullptr)
        {
            hold_pair(*taken, file.path, named, problems);
        }
        else
        {
            taken = &potential.pairs.emplace_back(PairConfig{
                named.first, named.second, pair.epsilon.value, pair.sigma.value, std::nullopt});
        }
        take_cutoff(*taken, config, said, file.path, named, problems);
    }
    if (!said.pairs && file.pairs.empty() && species.size() == 1)
    {
        std::string const& name = species.front().name;
        potential.pairs.push_back({name, name, 1.0, 1.0, std::nullopt});
    }
}

}  // namespace tessera
