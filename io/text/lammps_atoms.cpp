#include "io/text/lammps_atoms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "io/files/printable.hpp"

namespace tessera
{

namespace
{

/// The columns of a style: id [molecule] type [charge] x y z [ix iy iz].
struct AtomStyle
{
    std::string_view name;
    std::size_t molecules, charges;  ///< columns, 0 or 1

    std::size_t type() const
    {
        return 1 + molecules;
    }
    std::size_t position() const
    {
        return 2 + molecules + charges;
    }
};

constexpr AtomStyle read_styles[] = {
    {"atomic", 0, 0}, {"charge", 0, 1},    {"angle", 1, 0},
    {"bond", 1, 0},   {"molecular", 1, 0}, {"full", 1, 1},
};

[[noreturn]] void refuse_style(TextInput const& input, std::string_view style,
                               std::string_view dropped)
{
    input.fail(
        fmt::format("atoms of style {} have {}, which would be dropped: only the style atomic is "
                    "read, id type x y z [ix iy iz], and others where those are 0. If they mean "
                    "nothing here, keep these columns and title the section 'Atoms # atomic', or "
                    "let LAMMPS write the file from atom_style atomic.",
                    printable(style), dropped));
}

/// The style beside the title of the section, which is the present line.
AtomStyle const& style_of(LammpsLines const& lines)
{
    std::string_view const name = lines.comment().empty() ? "atomic" : lines.comment().front();
    auto const* const style =
        std::find_if(std::begin(read_styles), std::end(read_styles),
                     [&](AtomStyle const& entry) { return entry.name == name; });
    if (style == std::end(read_styles))
    {
        refuse_style(lines.input(), name, "further columns");
    }
    return *style;
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

void parse_atom(LammpsLines const& lines, AtomStyle const& style, Vec3<double> const& low,
                TypeOf const& type_of, State& state)
{
    TextInput const& input = lines.input();
    auto const& fields = lines.fields();
    std::size_t const first = style.position();
    bool const imaged = fields.size() == first + 6;
    if (!imaged)
    {
        lines.expect_fields(first + 3, first == 2 ? "id type x y z, or those and ix iy iz,"
                                                  : "the columns of the section's atom style");
    }
    if (style.molecules != 0 && input.integer(fields[1], "a molecule") != 0)
    {
        refuse_style(input, style.name, "molecule numbers");
    }
    if (style.charges != 0 && input.number(fields[first - 1], "a charge") != 0.0)
    {
        refuse_style(input, style.name, "charges");
    }
    Vec3<double> position;
    Vec3<std::int32_t> image;
    for (int axis = 0; axis < 3; ++axis)
    {
        auto const column = first + static_cast<std::size_t>(axis);
        position[axis] = input.number(fields[column], "a position") - low[axis];
        image[axis] = imaged ? input.small_integer(fields[column + 3], "an image") : 0;
    }
    state.id.push_back(input.integer(fields[0], "an id"));
    state.species.push_back(static_cast<std::int32_t>(type_of(fields[style.type()])));
    state.position.push_back(position);
    state.image.push_back(image);
}

}  // namespace

void parse_lammps_atoms(LammpsLines& lines, std::int64_t count, Vec3<double> const& low,
                        TypeOf const& type_of, State& state)
{
    TextInput const& input = lines.input();
    bool const styled = !lines.comment().empty();
    AtomStyle const& style = style_of(lines);
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        lines.require("an atom");
        auto const& fields = lines.fields();
        if (!styled && (fields.size() == 6 || fields.size() == 9))
        {
            refuse_style(input, "charge or molecular (the title of the section does not say)",
                         "a further column");
        }
        parse_atom(lines, style, low, type_of, state);
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
