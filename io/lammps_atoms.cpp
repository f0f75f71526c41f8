#include "io/lammps_atoms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "io/printable.hpp"

namespace tessera
{

namespace
{

/// What lines of other atom styles hold beside those of atomic.
struct AtomStyle
{
    std::string_view name, dropped;
};

constexpr AtomStyle other_styles[] = {
    {"charge", "charges"},
    {"angle", "molecule numbers and the angles they belong to"},
    {"bond", "molecule numbers and the bonds they belong to"},
    {"molecular", "molecule numbers and the bonds they belong to"},
    {"full", "molecule numbers, charges and the bonds they belong to"},
    {"sphere", "diameters and densities"},
    {"dipole", "charges and dipoles"},
};

void refuse_style(TextInput const& input, std::string_view style)
{
    auto const* const known =
        std::find_if(std::begin(other_styles), std::end(other_styles),
                     [&](AtomStyle const& entry) { return entry.name == style; });
    std::string_view const dropped =
        known == std::end(other_styles) ? "further columns" : known->dropped;
    input.fail(
        fmt::format("atoms of style {} have {}, which would be dropped: only the style atomic is "
                    "read. If they mean nothing here, keep the columns id type x y z [ix iy iz] "
                    "and title the section 'Atoms # atomic', or let LAMMPS write the file from "
                    "atom_style atomic.",
                    printable(style), dropped));
}

/// Where each id is in the state, ids ascending.
std::vector<std::pair<std::int64_t, std::size_t>> sorted_ids(TextInput const& input,
                                                             State const& state)
{
    std::vector<std::pair<std::int64_t, std::size_t>> ids;
    ids.reserve(state.id.size());
    for (std::size_t particle = 0; particle < state.id.size(); ++particle)
    {
        ids.emplace_back(state.id[particle], particle);
    }
    std::sort(ids.begin(), ids.end());
    auto const twice = std::adjacent_find(
        ids.begin(), ids.end(), [](auto const& a, auto const& b) { return a.first == b.first; });
    if (twice != ids.end())
    {
        input.fail(fmt::format("two of the atoms above have id {}.", twice->first));
    }
    return ids;
}

}  // namespace

void parse_lammps_atoms(LammpsLines& lines, std::int64_t count, Vec3<double> const& low,
                        TypeOf const& type_of, State& state)
{
    TextInput const& input = lines.input();
    bool const styled = !lines.comment().empty();
    if (styled && lines.comment().front() != "atomic")
    {
        refuse_style(input, lines.comment().front());
    }
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        lines.require("an atom");
        auto const& fields = lines.fields();
        bool const imaged = fields.size() == 8;
        if (!styled && (fields.size() == 6 || fields.size() == 9))
        {
            refuse_style(input, "charge or molecular (the title of the section does not say)");
        }
        if (!imaged)
        {
            lines.expect_fields(5, "id type x y z, or those and ix iy iz,");
        }
        Vec3<double> position;
        Vec3<std::int32_t> image;
        for (int axis = 0; axis < 3; ++axis)
        {
            auto const column = static_cast<std::size_t>(axis);
            position[axis] = input.number(fields[2 + column], "a position") - low[axis];
            image[axis] = imaged ? input.small_integer(fields[5 + column], "an image") : 0;
        }
        state.id.push_back(input.integer(fields[0], "an id"));
        state.species.push_back(static_cast<std::int32_t>(type_of(fields[1])));
        state.position.push_back(position);
        state.image.push_back(image);
    }
    sorted_ids(input, state);
}

void parse_lammps_velocities(LammpsLines& lines, State& state)
{
    TextInput const& input = lines.input();
    auto const ids = sorted_ids(input, state);
    std::vector<bool> given(ids.size());
    state.velocity.resize(state.position.size());
    for (std::size_t line = 0; line < ids.size(); ++line)
    {
        lines.require("a velocity");
        lines.expect_fields(4, "id vx vy vz");
        std::int64_t const id = input.integer(lines.fields()[0], "an id");
        auto const found = std::lower_bound(ids.begin(), ids.end(), std::pair{id, std::size_t{0}});
        if (found == ids.end() || found->first != id)
        {
            input.fail(fmt::format("no atom has the id {}.", id));
        }
        if (given[found->second])
        {
            input.fail(fmt::format("the velocity of atom {} has come before.", id));
        }
        given[found->second] = true;
        for (int axis = 0; axis < 3; ++axis)
        {
            state.velocity[found->second][axis] =
                input.number(lines.fields()[1 + static_cast<std::size_t>(axis)], "a velocity");
        }
    }
}

}  // namespace tessera
