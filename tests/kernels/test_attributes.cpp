/// What a particle has: one list, walked by whoever moves particles.

#include <vector>

#include "engine/cpu/particles.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

/// Whether an attribute was met, a byte each whatever its type.
template <class T>
using Mark = unsigned char;

template <template <template <class> class> class Attributes>
void check_marks()
{
    Attributes<Mark> marks{};
    Attributes<Mark>::walk([](unsigned char& mark) { ++mark; }, marks);
    auto const* const first = reinterpret_cast<unsigned char const*>(&marks);
    CHECK(std::vector<unsigned char>(first, first + sizeof(marks)) ==
          std::vector<unsigned char>(sizeof(marks), 1));
}

}  // namespace

TEST_CASE("every attribute is walked, and once")
{
    check_marks<ParticleAttributes>();
    check_marks<SortedAttributes>();
}

TEST_CASE("sorted particles keep what they have, and come back by id")
{
    Config config = lennard_jones_config();
    config.system.species.push_back({"B", 2.0, std::nullopt});
    Vec3<double> edges{};
    auto positions = fcc_positions({4, 4, 4}, 0.8442, 0.05, 7, edges);
    State state = state_at(config, {edges, {}}, std::move(positions));
    give_velocities(state, 1.0, 8);
    state.list_position = state.position;
    for (std::size_t i = 0; i < state.id.size(); ++i)
    {
        // Ids are no places, and may be beyond 32 bits.
        state.id[i] = (std::int64_t{1} << 40) + 3 * static_cast<std::int64_t>(i);
        state.image[i].y = static_cast<std::int32_t>(i);
    }
    Particles particles;
    particles.load(state);
    particles.sort({{0.0, 0.0, 0.0}, edges}, 2.8);
    CHECK(particles.position() != state.position);
    State const back = particles.full_state();
    State::walk([](auto const& before, auto const& after) { CHECK(before == after); }, state, back);
    CHECK(back.species_mass == state.species_mass);
}
