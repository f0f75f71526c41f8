#include "engine/config/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace tessera
{
namespace
{

using Problems = std::vector<Problem>;

/// Of what a float holds at the distances that particles come to.
constexpr double most_exponent = 100.0;

bool positive(double value)
{
    return value > 0.0 && std::isfinite(value);
}

std::optional<std::size_t> find_species(SystemConfig const& system, std::string const& name)
{
    for (std::size_t index = 0; index < system.species.size(); ++index)
    {
        if (system.species[index].name == name)
        {
            return index;
        }
    }
    return std::nullopt;
}

std::string list_species(SystemConfig const& system)
{
    std::string list;
    for (SpeciesConfig const& species : system.species)
    {
        list += (list.empty() ? "" : ", ") + species.name;
    }
    return list;
}

/// The pairs that the input spells out, [species][species] row-major, symmetric.
std::vector<PairConfig const*> explicit_pairs(Config const& config)
{
    std::size_t const count = config.system.species.size();
    std::vector<PairConfig const*> table(count * count, nullptr);
    for (PairConfig const& pair : config.potential.pairs)
    {
        auto const first = find_species(config.system, pair.first);
        auto const second = find_species(config.system, pair.second);
        if (first && second)
        {
            table[*first * count + *second] = &pair;
            table[*second * count + *first] = &pair;
        }
    }
    return table;
}

ResolvedPair mix(Mixing mixing, ResolvedPair const& a, ResolvedPair const& b)
{
    ResolvedPair mixed;
    mixed.type = a.type;
    // Lafitte et al., J. Chem. Phys. 139, 154504 (2013), eq. 30; equal exponents stay what they
    // are.
    mixed.n = 3.0 + std::sqrt((a.n - 3.0) * (b.n - 3.0));
    mixed.m = 3.0 + std::sqrt((a.m - 3.0) * (b.m - 3.0));
    mixed.epsilon = std::sqrt(a.epsilon * b.epsilon);
    switch (mixing)
    {
        case Mixing::none:
            break;
        case Mixing::lorentz_berthelot:
            mixed.sigma = 0.5 * (a.sigma + b.sigma);
            break;
        case Mixing::geometric:
            mixed.sigma = std::sqrt(a.sigma * b.sigma);
            break;
        case Mixing::waldman_hagler: {
            double const a3 = a.sigma * a.sigma * a.sigma;
            double const b3 = b.sigma * b.sigma * b.sigma;
            double const sum = a3 * a3 + b3 * b3;
            mixed.sigma = std::pow(0.5 * sum, 1.0 / 6.0);
            mixed.epsilon *= 2.0 * a3 * b3 / sum;
            break;
        }
    }
    return mixed;
}

/// Where a pair of names, in alphabetical order, was first given.
using SeenPairs = std::map<std::pair<std::string, std::string>, std::size_t>;

void check_pair(Problems& problems, Config const& config, std::size_t index, SeenPairs& seen)
{
    PairConfig const& pair = config.potential.pairs[index];
    std::string const key = fmt::format("potential.pairs.{}", index);
    for (std::string const* name : {&pair.first, &pair.second})
    {
        if (!find_species(config.system, *name))
        {
            problems.push_back(
                {key + ".species", fmt::format("'{}' is no species of system.species; known: {}; "
                                               "correct the name, or add the species",
                                               *name, list_species(config.system))});
        }
        if (pair.first == pair.second)
        {
            break;
        }
    }
    auto const [first, fresh] = seen.emplace(std::minmax(pair.first, pair.second), index);
    if (!fresh)
    {
        problems.push_back({key + ".species",
                            fmt::format("the pair {}-{} is given before, as element {}; a pair has "
                                        "one set of coefficients; keep one",
                                        pair.first, pair.second, first->second)});
    }
    if (!(pair.epsilon >= 0.0 && std::isfinite(pair.epsilon)))
    {
        problems.push_back({key + ".epsilon", fmt::format("is {}; it is the depth of the "
                                                          "attraction; give 0 or more",
                                                          pair.epsilon)});
    }
    if (!positive(pair.sigma))
    {
        problems.push_back({key + ".sigma", fmt::format("is {}; it is a diameter; give a number "
                                                        "above 0",
                                                        pair.sigma)});
    }
    if (pair.cutoff && !positive(*pair.cutoff))
    {
        problems.push_back({key + ".cutoff", fmt::format("is {}; it is the range of the pair; give "
                                                         "a number above 0",
                                                         *pair.cutoff)});
    }
}

/// Exponents belong to mie, and their integrals beyond the cutoff must exist.
void check_exponents(Problems& problems, PotentialConfig const& potential)
{
    auto const check = [&](std::string const& key, std::optional<double> n,
                           std::optional<double> m) {
        if (potential.type != PotentialType::mie)
        {
            if (n || m)
            {
                problems.push_back({key + (n ? ".n" : ".m"),
                                    "is given, but the type is not mie and would ignore it; remove "
                                    "it, or use type: mie"});
            }
            return;
        }
        ResolvedPair const common;
        double const repulsion = n.value_or(potential.n.value_or(common.n));
        double const attraction = m.value_or(potential.m.value_or(common.m));
        if (!(repulsion > attraction && attraction > 3.0 && repulsion <= most_exponent))
        {
            problems.push_back(
                {key + (n ? ".n" : ".m"),
                 fmt::format("the exponents are n = {} and m = {}; a mie potential has {} >= n > m "
                             "> 3",
                             repulsion, attraction, most_exponent)});
        }
    };
    check("potential", potential.n, potential.m);
    for (std::size_t index = 0; index < potential.pairs.size(); ++index)
    {
        PairConfig const& pair = potential.pairs[index];
        if (pair.n || pair.m)
        {
            check(fmt::format("potential.pairs.{}", index), pair.n, pair.m);
        }
    }
}

void check_missing_pairs(Problems& problems, Config const& config)
{
    std::vector<SpeciesConfig> const& species = config.system.species;
    std::vector<PairConfig const*> const table = explicit_pairs(config);
    bool const mixes = config.potential.mixing != Mixing::none;
    for (std::size_t first = 0; first < species.size(); ++first)
    {
        for (std::size_t second = first; second < species.size(); ++second)
        {
            if (table[first * species.size() + second] != nullptr || (mixes && first != second))
            {
                continue;
            }
            std::string const why =
                mixes ? "mixing needs the coefficients of every like pair; add it"
                      : "it has no coefficients, and mixing is none; add it, or give a mixing rule";
            problems.push_back(
                {"potential.pairs", fmt::format("the pair {}-{} is missing; {}",
                                                species[first].name, species[second].name, why)});
        }
    }
}

void check_switch(Problems& problems, Config const& config)
{
    PotentialConfig const& potential = config.potential;
    if (potential.truncation != Truncation::switched)
    {
        if (potential.switch_on != 0.0)
        {
            problems.push_back({"potential.switch_on",
                                "is given, but the truncation is not "
                                "switched and would ignore it; remove it, "
                                "or use truncation: switched"});
        }
        return;
    }
    if (potential.switch_on == 0.0)
    {
        problems.push_back({"potential.switch_on",
                            "is missing or 0; truncation: switched needs "
                            "the distance where the switch begins; add it"});
        return;
    }
    // Without all the pairs there is no smallest cutoff to hold it against.
    Problems missing;
    check_missing_pairs(missing, config);
    double const smallest =
        missing.empty() ? min_cutoff(config) : std::numeric_limits<double>::infinity();
    if (!(potential.switch_on > 0.0 && potential.switch_on < smallest))
    {
        problems.push_back({"potential.switch_on",
                            fmt::format("is {}; the switch begins inside the smallest cutoff, {}; "
                                        "give a number above 0 and below that",
                                        potential.switch_on, smallest)});
    }
}

}  // namespace

std::vector<Problem> check_potential(Config const& config)
{
    PotentialConfig const& potential = config.potential;
    Problems problems;
    if (!positive(potential.cutoff))
    {
        problems.push_back({"potential.cutoff", fmt::format("is {}; it is the range of the pair "
                                                            "force; give a number above 0",
                                                            potential.cutoff)});
    }
    SeenPairs seen;
    for (std::size_t index = 0; index < potential.pairs.size(); ++index)
    {
        check_pair(problems, config, index, seen);
    }
    check_exponents(problems, potential);
    check_missing_pairs(problems, config);
    check_switch(problems, config);
    if (potential.tail_correction)
    {
        Vec3<Boundary> const& boundary = config.system.boundary;
        Vec3<Boundary> const all{Boundary::periodic, Boundary::periodic, Boundary::periodic};
        if (!(boundary == all))
        {
            problems.push_back({"potential.tail_correction",
                                "is true with an open axis; the correction assumes a uniform fluid "
                                "without end; make it false, or every axis periodic"});
        }
    }
    return problems;
}

std::vector<ResolvedPair> resolve_pairs(Config const& config)
{
    std::size_t const count = config.system.species.size();
    std::vector<PairConfig const*> const table = explicit_pairs(config);
    Problems missing;
    check_missing_pairs(missing, config);
    if (!missing.empty())
    {
        throw ConfigError(missing.front().key + ": " + missing.front().message);
    }
    std::vector<ResolvedPair> pairs(count * count);
    auto const given = [&](std::size_t first, std::size_t second) {
        PairConfig const& pair = *table[first * count + second];
        PotentialConfig const& potential = config.potential;
        ResolvedPair pair_of{pair.epsilon, pair.sigma, pair.cutoff.value_or(potential.cutoff),
                             potential.type};
        pair_of.n = pair.n.value_or(potential.n.value_or(pair_of.n));
        pair_of.m = pair.m.value_or(potential.m.value_or(pair_of.m));
        return pair_of;
    };
    for (std::size_t first = 0; first < count; ++first)
    {
        for (std::size_t second = 0; second < count; ++second)
        {
            ResolvedPair& pair = pairs[first * count + second];
            if (table[first * count + second] != nullptr)
            {
                pair = given(first, second);
                continue;
            }
            // Mixed in one order only, so that the table is symmetric to the last bit.
            pair = mix(config.potential.mixing,
                       given(std::min(first, second), std::min(first, second)),
                       given(std::max(first, second), std::max(first, second)));
            pair.cutoff = config.potential.cutoff;
        }
    }
    return pairs;
}

double max_cutoff(Config const& config)
{
    double largest = 0.0;
    for (ResolvedPair const& pair : resolve_pairs(config))
    {
        largest = std::max(largest, pair.cutoff);
    }
    return largest;
}

double min_cutoff(Config const& config)
{
    double smallest = std::numeric_limits<double>::infinity();
    for (ResolvedPair const& pair : resolve_pairs(config))
    {
        smallest = std::min(smallest, pair.cutoff);
    }
    return smallest;
}

}  // namespace tessera
