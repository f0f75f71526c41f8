#include "engine/start/initial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/start/lattice.hpp"
#include "engine/start/random_start.hpp"
#include "kernels/arithmetic/random.hpp"

namespace tessera
{
namespace
{

/// Particles of each species, by largest remainder: fractions of a whole that add up to it.
std::vector<std::int64_t> share_out(std::vector<SpeciesConfig> const& species, std::int64_t count)
{
    std::vector<std::int64_t> shares;
    std::vector<double> remainders;
    for (SpeciesConfig const& one : species)
    {
        double const fraction = one.fraction.value_or(1.0 / static_cast<double>(species.size()));
        double const exact = fraction * static_cast<double>(count);
        // A share such as 0.8 x 1000 = 800.0000000001 must not lose or gain by rounding.
        double const whole = std::floor(exact + 1e-6);
        shares.push_back(static_cast<std::int64_t>(whole));
        remainders.push_back(exact - whole);
    }
    std::vector<std::size_t> order(species.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
    std::int64_t left = count - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
    for (std::size_t turn = 0; left > 0; ++turn, --left)
    {
        ++shares[order[turn % order.size()]];
    }
    // Fractions may add up to a trifle more than 1.
    for (; left < 0; ++left)
    {
        --*std::max_element(shares.begin(), shares.end());
    }
    return shares;
}

/// A number below `bound`, from 64 random bits.
std::int64_t random_below(std::int64_t bound, RandomBlock const& block)
{
    std::uint64_t const bits = static_cast<std::uint64_t>(block.word[0]) << 32 | block.word[1];
    auto const wide = static_cast<unsigned __int128>(bits) * static_cast<std::uint64_t>(bound);
    return static_cast<std::int64_t>(wide >> 64);
}

/// Species [particle]: exact numbers of each, in an order shuffled by the seed (Fisher-Yates).
std::vector<std::int32_t> assign_species(std::vector<SpeciesConfig> const& species,
                                         std::int64_t count, std::uint64_t seed)
{
    std::vector<std::int64_t> const shares = share_out(species, count);
    std::vector<std::int32_t> assigned;
    assigned.reserve(static_cast<std::size_t>(count));
    for (std::size_t index = 0; index < shares.size(); ++index)
    {
        assigned.insert(assigned.end(), static_cast<std::size_t>(shares[index]),
                        static_cast<std::int32_t>(index));
    }
    if (species.size() == 1)
    {
        return assigned;
    }
    for (std::int64_t last = count - 1; last > 0; --last)
    {
        RandomKey const key{seed, 0, static_cast<std::uint64_t>(last + 1), RandomPurpose::species};
        std::int64_t const other = random_below(last + 1, random_block(key, 0));
        std::swap(assigned[static_cast<std::size_t>(last)],
                  assigned[static_cast<std::size_t>(other)]);
    }
    return assigned;
}

}  // namespace

Box initial_box(Config const& config)
{
    Box box;
    box.boundary = config.system.boundary;
    if (auto const* lattice = std::get_if<LatticeConfig>(&config.system.start))
    {
        box.edges = lattice_edges(*lattice);
    }
    else if (auto const* random = std::get_if<RandomConfig>(&config.system.start))
    {
        double const edge = std::cbrt(static_cast<double>(random->count) / random->density);
        box.edges = {edge, edge, edge};
    }
    return box;
}

std::int64_t initial_particle_count(Config const& config)
{
    if (auto const* lattice = std::get_if<LatticeConfig>(&config.system.start))
    {
        return lattice_particle_count(*lattice);
    }
    if (auto const* random = std::get_if<RandomConfig>(&config.system.start))
    {
        return random->count;
    }
    return 0;
}

std::vector<std::int64_t> initial_species_counts(Config const& config)
{
    return share_out(config.system.species, initial_particle_count(config));
}

State make_initial_state(Config const& config)
{
    SystemConfig const& system = config.system;
    State state;
    state.box = initial_box(config);
    if (auto const* lattice = std::get_if<LatticeConfig>(&system.start))
    {
        state.position = lattice_positions(*lattice);
    }
    else
    {
        state.position =
            random_positions(std::get<RandomConfig>(system.start), state.box, system.seed);
    }
    auto const count = state.position.size();
    state.id.resize(count);
    std::iota(state.id.begin(), state.id.end(), std::int64_t{1});
    state.image.resize(count);
    state.velocity.resize(count);
    state.force.resize(count);
    state.species = assign_species(system.species, state.particle_count(), system.seed);
    for (SpeciesConfig const& species : system.species)
    {
        state.species_names.push_back(species.name);
        state.species_mass.push_back(species.mass);
    }
    set_maxwell_velocities(state, system.temperature.value_or(0.0), system.seed);
    return state;
}

}  // namespace tessera
