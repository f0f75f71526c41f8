#include <cmath>
#include <optional>

#include "engine/initial.hpp"
#include "kernels/random.hpp"
#include "tests/support.hpp"

using namespace tessera;

namespace
{

/// The oracle of find_closest_below: every pair.
std::optional<ClosePair> closest_by_brute_force(State const& state, double distance)
{
    std::optional<ClosePair> closest;
    for (std::size_t i = 0; i < state.position.size(); ++i)
    {
        for (std::size_t j = 0; j < i; ++j)
        {
            Vec3<double> const separation =
                minimum_image(state.position[i] - state.position[j], state.box);
            double const length = std::sqrt(dot(separation, separation));
            if (length < distance)
            {
                distance = length;
                closest = ClosePair{state.id[j], state.id[i], length};
            }
        }
    }
    return closest;
}

State random_state(Box const& box, std::size_t count, std::uint64_t seed)
{
    State state;
    state.box = box;
    for (std::size_t i = 0; i < count; ++i)
    {
        Vec3<double> place = random_uniforms({seed, 0, i, RandomPurpose::placement});
        for (int axis = 0; axis < 3; ++axis)
        {
            // Open axes reach beyond their nominal edge.
            place[axis] = box.periodic(axis) ? place[axis] * box.edges[axis]
                                             : (3.0 * place[axis] - 1.0) * box.edges[axis];
        }
        state.id.push_back(static_cast<std::int64_t>(10 * i + 3));
        state.position.push_back(place);
        state.species.push_back(0);
    }
    state.species_names = {"A"};
    state.species_mass = {1.0};
    return state;
}

}  // namespace

TEST_CASE("the closest pair is that of all pairs, in every shape of box")
{
    Boundary const p = Boundary::periodic, o = Boundary::open;
    Box const box =
        GENERATE_COPY(Box{{10.0, 10.0, 10.0}, {p, p, p}}, Box{{1.0, 2.0, 3.0}, {p, p, p}},
                      Box{{1.0, 1.0, 100.0}, {p, p, p}}, Box{{2.1, 50.0, 0.3}, {p, p, p}},
                      Box{{10.0, 10.0, 10.0}, {o, p, o}}, Box{{5.0, 5.0, 5.0}, {o, o, o}});
    for (double const distance : {0.01, 0.3, 1.0, 4.0, 1000.0})
    {
        for (std::size_t const count : {1, 2, 3, 40, 300})
        {
            State const state = random_state(box, count, 7 * count + 1);
            auto const found = find_closest_below(state, distance);
            auto const expected = closest_by_brute_force(state, distance);
            REQUIRE(found.has_value() == expected.has_value());
            if (found)
            {
                CHECK(found->first_id == expected->first_id);
                CHECK(found->second_id == expected->second_id);
                CHECK(found->distance == Approx(expected->distance).epsilon(1e-12));
            }
        }
    }
}

TEST_CASE("particles at one place are found, across faces too")
{
    State state = random_state({{10.0, 10.0, 10.0}, {}}, 2, 1);
    state.position = {{1.0, 1.0, 0.0}, {1.0, 1.0, std::nextafter(10.0, 0.0)}};
    REQUIRE(find_closest_below(state, 1e-3));
    CHECK(find_closest_below(state, 1e-3)->distance < 1e-14);
    state.position[1] = state.position[0];
    CHECK(find_closest_below(state, 1e-300)->distance == 0.0);
    CHECK_FALSE(find_closest_below(State{}, 1.0));
}
