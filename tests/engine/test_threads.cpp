/// Results do not depend on what threads surround a call, nor on how many there are.

#include <omp.h>

#include <cstdint>
#include <vector>

#include "engine/cpu/backend.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

constexpr std::size_t bins = 50;

State liquid(Config const& config)
{
    Box box;
    auto positions = fcc_positions({8, 8, 8}, 0.8442, 0.1, 7, box.edges);
    return state_at(config, box, std::move(positions));
}

std::vector<std::uint64_t> counted(Config const& config, State const& state)
{
    auto const backend = make_cpu_backend(config, [](std::string const&) {});
    backend->load(state);
    backend->advance(2);
    std::vector<std::uint64_t> pairs(bins, 0);
    backend->count_pairs(pairs);
    return pairs;
}

}  // namespace

TEST_CASE("pairs are counted right by a backend that a thread of a team uses")
{
    Config config = lennard_jones_config();
    config.force.path = GENERATE(ForcePath::gather, ForcePath::reordered);
    State const state = liquid(config);
    std::vector<std::uint64_t> const expected = counted(config, state);
    // More threads around it than the backend has, and levels enough for both.
    constexpr int around = 4;
    std::vector<std::vector<std::uint64_t>> found(around);
    int const levels = omp_get_max_active_levels();
    omp_set_max_active_levels(2);
#pragma omp parallel for num_threads(around) schedule(static, 1)
    for (int n = 0; n < around; ++n)
    {
        found[static_cast<std::size_t>(n)] = counted(config, state);
    }
    omp_set_max_active_levels(levels);
    for (auto const& pairs : found)
    {
        CHECK(pairs == expected);
    }
}
