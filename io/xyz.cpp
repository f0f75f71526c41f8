#include "io/xyz.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "io/text_input.hpp"

namespace tessera
{

namespace
{

using Comment = std::map<std::string, std::string, std::less<>>;

/// The key=value and key="several words" of a frame's second line; bare words are skipped.
Comment parse_comment(TextInput const& input)
{
    Comment comment;
    std::string_view rest = input.line();
    while (true)
    {
        std::size_t const first = rest.find_first_not_of(" \t");
        if (first == std::string_view::npos)
        {
            return comment;
        }
        rest.remove_prefix(first);
        std::size_t const stop = std::min(rest.find_first_of("= \t"), rest.size());
        std::string const key(rest.substr(0, stop));
        rest.remove_prefix(stop);
        if (rest.empty() || rest.front() != '=')
        {
            continue;
        }
        rest.remove_prefix(1);
        bool const quoted = !rest.empty() && rest.front() == '"';
        rest.remove_prefix(quoted ? 1 : 0);
        std::size_t const end = rest.find_first_of(quoted ? "\"" : " \t");
        if (quoted && end == std::string_view::npos)
        {
            input.fail("a quote is not closed.");
        }
        comment[key] = std::string(rest.substr(0, end));
        rest.remove_prefix(std::min(end, rest.size()));
        rest.remove_prefix(quoted ? 1 : 0);
    }
}

std::vector<double> numbers_of(TextInput const& input, std::string_view text, std::size_t count,
                               std::string_view what)
{
    std::vector<double> numbers;
    for (std::string_view const field : fields_of(text))
    {
        numbers.push_back(input.number(field, what));
    }
    if (numbers.size() != count)
    {
        input.fail(fmt::format("{} has {} numbers, {} are expected.", what, numbers.size(), count));
    }
    return numbers;
}

void parse_box(TextInput const& input, Comment const& comment, State& state)
{
    auto const lattice = comment.find("Lattice");
    if (lattice == comment.end())
    {
        input.fail(
            "the box is missing: this line needs Lattice=\"Lx 0 0 0 Ly 0 0 0 Lz\" "
            "(extended XYZ).");
    }
    auto const rows = numbers_of(input, lattice->second, 9, "Lattice");
    for (std::size_t element = 0; element < 9; ++element)
    {
        bool const diagonal = element % 4 == 0;
        if (diagonal ? rows[element] <= 0.0 : rows[element] != 0.0)
        {
            input.fail(
                "only orthogonal boxes are read: Lattice=\"Lx 0 0 0 Ly 0 0 0 Lz\" with "
                "edges above 0.");
        }
    }
    state.box.edges = {rows[0], rows[4], rows[8]};
    if (auto const pbc = comment.find("pbc"); pbc != comment.end())
    {
        auto const flags = fields_of(pbc->second);
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
            bool const known = flags.size() == 3 && (flags[axis] == "T" || flags[axis] == "F");
            if (!known)
            {
                input.fail("pbc needs three of T and F.");
            }
            state.box.boundary[static_cast<int>(axis)] =
                flags[axis] == "T" ? Boundary::periodic : Boundary::open;
        }
    }
}

/// First columns of what is read; negative: not there.
struct Columns
{
    int species = -1, position = -1, image = -1, velocity = -1, id = -1;
    int count = 0;
};

Columns parse_properties(TextInput const& input, Comment const& comment)
{
    auto const found = comment.find("Properties");
    std::string const text = found == comment.end() ? "species:S:1:pos:R:3" : found->second;
    std::vector<std::string> parts(1);
    for (char const letter : text)
    {
        if (letter == ':')
        {
            parts.emplace_back();
        }
        else
        {
            parts.back().push_back(letter);
        }
    }
    Columns columns;
    std::map<std::string, std::pair<int*, std::string>, std::less<>> const known{
        {"species", {&columns.species, "S1"}}, {"pos", {&columns.position, "R3"}},
        {"image", {&columns.image, "I3"}},     {"velo", {&columns.velocity, "R3"}},
        {"vel", {&columns.velocity, "R3"}},    {"velocity", {&columns.velocity, "R3"}},
        {"id", {&columns.id, "I1"}},
    };
    if (parts.size() % 3 != 0)
    {
        input.fail("Properties is not a chain of name:type:count.");
    }
    for (std::size_t part = 0; part < parts.size(); part += 3)
    {
        auto const width = input.small_integer(parts[part + 2], "the width of a property");
        if (width < 1 || width > 1000)
        {
            input.fail(fmt::format("property {} has a width of {}.", parts[part], width));
        }
        if (auto const entry = known.find(parts[part]); entry != known.end())
        {
            if (parts[part + 1] + parts[part + 2] != entry->second.second)
            {
                input.fail(fmt::format("property {} has another type or width than expected.",
                                       parts[part]));
            }
            *entry->second.first = columns.count;
        }
        columns.count += width;
    }
    if (columns.species < 0 || columns.position < 0)
    {
        input.fail("Properties lacks species:S:1 or pos:R:3.");
    }
    return columns;
}

std::int32_t species_index(State& state, std::string_view name)
{
    auto const found = std::find(state.species_names.begin(), state.species_names.end(), name);
    auto const index = static_cast<std::int32_t>(found - state.species_names.begin());
    if (found == state.species_names.end())
    {
        state.species_names.emplace_back(name);
    }
    return index;
}

void parse_particle(TextInput const& input, Columns const& columns, State& state)
{
    auto const fields = fields_of(input.line());
    if (static_cast<int>(fields.size()) != columns.count)
    {
        input.fail(fmt::format("this line has {} fields, Properties announces {}.", fields.size(),
                               columns.count));
    }
    auto const field = [&](int column) {
        return fields[static_cast<std::size_t>(column)];
    };
    Vec3<double> position, velocity;
    Vec3<std::int32_t> image;
    for (int axis = 0; axis < 3; ++axis)
    {
        position[axis] = input.number(field(columns.position + axis), "a position");
        if (columns.velocity >= 0)
        {
            velocity[axis] = input.number(field(columns.velocity + axis), "a velocity");
        }
        if (columns.image >= 0)
        {
            image[axis] = input.small_integer(field(columns.image + axis), "an image");
        }
    }
    state.position.push_back(position);
    if (columns.velocity >= 0)
    {
        state.velocity.push_back(velocity);
    }
    state.image.push_back(image);
    state.species.push_back(species_index(state, field(columns.species)));
    state.id.push_back(columns.id >= 0 ? input.integer(field(columns.id), "an id")
                                       : state.particle_count());
}

/// The particle count on the present line.
std::int64_t parse_count(TextInput const& input)
{
    auto const fields = fields_of(input.line());
    std::int64_t const count =
        fields.size() == 1 ? input.integer(fields[0], "the particle count") : 0;
    if (count < 1)
    {
        input.fail("a frame starts with its particle count, above 0.");
    }
    return count;
}

/// Goes to the start of a frame, with its count read.
std::int64_t find_frame(TextInput& input, std::optional<std::int64_t> frame)
{
    TextInput::Mark found;
    std::int64_t found_count = 0, frames = 0;
    while (frames <= frame.value_or(frames) && input.next_line())
    {
        if (fields_of(input.line()).empty())
        {
            continue;
        }
        found_count = parse_count(input);
        found = input.mark();
        ++frames;
        for (std::int64_t skipped = 0; skipped <= found_count; ++skipped)
        {
            input.require_line(fmt::format("the rest of frame {}", frames - 1));
        }
    }
    if (frames == 0 || (frame && (*frame < 0 || frames <= *frame)))
    {
        input.fail(fmt::format("there is no frame {}: the file holds {}, counted from 0.",
                               frame.value_or(0), frames));
    }
    input.go_back(found);
    return found_count;
}

}  // namespace

void write_xyz(TextOutput& out, State const& state)
{
    Vec3<double> const edges = state.box.edges;
    auto const flag = [&](int axis) {
        return state.box.periodic(axis) ? 'T' : 'F';
    };
    out.print("{}\n", state.particle_count());
    out.print("Lattice=\"{} 0 0 0 {} 0 0 0 {}\" ", edges.x, edges.y, edges.z);
    out.print("Properties=species:S:1:pos:R:3:image:I:3:velo:R:3:id:I:1 ");
    out.print("pbc=\"{} {} {}\" Step={} Time={}\n", flag(0), flag(1), flag(2), state.step,
              state.time);
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        auto const species = static_cast<std::size_t>(state.species[particle]);
        Vec3<double> const& r = state.position[particle];
        Vec3<double> const& v = state.velocity[particle];
        Vec3<std::int32_t> const& image = state.image[particle];
        out.print("{} {} {} {} {} {} {} {} {} {} {}\n", state.species_names[species], r.x, r.y, r.z,
                  image.x, image.y, image.z, v.x, v.y, v.z, state.id[particle]);
    }
}

State read_xyz(std::filesystem::path const& path, std::optional<std::int64_t> frame)
{
    TextInput input(path);
    std::int64_t const count = find_frame(input, frame);
    State state;
    input.require_line("the line with Lattice");
    Comment const comment = parse_comment(input);
    parse_box(input, comment, state);
    Columns const columns = parse_properties(input, comment);
    Vec3<double> origin;
    if (auto const found = comment.find("Origin"); found != comment.end())
    {
        auto const numbers = numbers_of(input, found->second, 3, "Origin");
        origin = {numbers[0], numbers[1], numbers[2]};
    }
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        input.require_line("a particle");
        parse_particle(input, columns, state);
        state.position.back() = state.position.back() - origin;
    }
    state.force.resize(state.position.size());
    return state;
}

}  // namespace tessera
