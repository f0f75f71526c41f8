#include "io/text/xyz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/files/printable.hpp"
#include "io/text/input.hpp"
#include "io/text/xyz_columns.hpp"

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
        if (!comment.emplace(key, rest.substr(0, end)).second)
        {
            input.fail(fmt::format("{} is given twice.", printable(key)));
        }
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

void parse_box(TextInput const& input, Comment const& comment, StartFile& file)
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
    file.state.box.edges = {rows[0], rows[4], rows[8]};
    if (auto const pbc = comment.find("pbc"); pbc != comment.end())
    {
        auto const flags = fields_of(pbc->second);
        Vec3<Boundary> boundary;
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
            bool const known = flags.size() == 3 && (flags[axis] == "T" || flags[axis] == "F");
            if (!known)
            {
                input.fail("pbc needs three of T and F.");
            }
            boundary[static_cast<int>(axis)] =
                flags[axis] == "T" ? Boundary::periodic : Boundary::open;
        }
        file.boundary = boundary;
    }
}

/// Reads the lines of particles into a start file.
class ParticleLines
{
public:
    ParticleLines(TextInput const& input, XyzColumns const& columns, StartFile& file)
        : input_(input), columns_(columns), file_(file)
    {
    }

    /// Adds the particle of the present line.
    void parse()
    {
        fields_ = fields_of(input_.line());
        if (fields_.size() != columns_.count)
        {
            input_.fail(fmt::format("this line has {} fields, Properties announces {}.",
                                    fields_.size(), columns_.count));
        }
        State& state = file_.state;
        state.position.push_back(vector(*columns_.position, "a position"));
        if (columns_.velocity)
        {
            state.velocity.push_back(vector(*columns_.velocity, "a velocity"));
        }
        if (columns_.image)
        {
            Vec3<std::int32_t> image;
            for (int axis = 0; axis < 3; ++axis)
            {
                image[axis] = input_.small_integer(field(*columns_.image + axis), "an image");
            }
            state.image.push_back(image);
        }
        state.id.push_back(columns_.id ? input_.integer(field(*columns_.id), "an id")
                                       : state.particle_count());
        std::size_t const species = species_of(field(*columns_.species));
        state.species.push_back(static_cast<std::int32_t>(species));
        if (columns_.mass)
        {
            parse_mass(file_.species[species]);
        }
        if (columns_.charge && input_.number(field(*columns_.charge), "a charge") != 0.0)
        {
            input_.fail(
                "this particle has a charge, which no force here knows: remove that column to "
                "run without.");
        }
    }

private:
    std::string_view field(std::size_t column) const
    {
        return fields_[column];
    }

    Vec3<double> vector(std::size_t column, std::string_view what) const
    {
        return {input_.number(field(column), what), input_.number(field(column + 1), what),
                input_.number(field(column + 2), what)};
    }

    std::size_t species_of(std::string_view name)
    {
        auto const found = index_of_name_.find(name);
        if (found != index_of_name_.end())
        {
            return found->second;
        }
        std::size_t const index = file_.species.size();
        if (index == max_species)
        {
            input_.fail(fmt::format("'{}' is species {}; a run has room for {}.", printable(name),
                                    index + 1, max_species));
        }
        file_.species.push_back({input_.name(name)});
        // The file's text outlives this.
        index_of_name_.emplace(name, index);
        return index;
    }

    void parse_mass(FileSpecies& species)
    {
        StatedNumber const mass = input_.stated_number(field(*columns_.mass), "a mass");
        if (mass.value <= 0.0)
        {
            input_.fail("a mass must be above 0.");
        }
        if (species.mass && species.mass->value != mass.value)
        {
            input_.fail(
                fmt::format("a particle of species {} has mass {}, an earlier one {}; all of a "
                            "species have the same: give those of other masses other names.",
                            species.name, mass.value, species.mass->value));
        }
        species.mass = mass;
    }

    TextInput const& input_;
    XyzColumns const& columns_;
    StartFile& file_;
    std::vector<std::string_view> fields_;
    std::unordered_map<std::string_view, std::size_t> index_of_name_;
};

/// Programs that know types alone write their numbers, from 1, as names.
void recognize_numbers(StartFile& file)
{
    std::int64_t lowest = 1;
    for (FileSpecies& species : file.species)
    {
        std::string const& name = species.name;
        auto const [end, error] =
            std::from_chars(name.data(), name.data() + name.size(), species.number);
        if (error != std::errc{} || end != name.data() + name.size() || species.number < 0)
        {
            return;
        }
        lowest = std::min(lowest, species.number);
    }
    file.naming = SpeciesNaming::numbered;
    file.first_number = lowest;
}

/// The particle count on the present line.
std::int64_t parse_count(TextInput const& input)
{
    auto const fields = fields_of(input.line());
    if (fields.size() != 1)
    {
        input.fail("a frame starts with its particle count, above 0, alone on a line.");
    }
    // A particle takes no less than "A 0 0 0" and the end of its line.
    return input.count(fields[0], 8, "the particle count");
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

StartFile read_xyz(std::filesystem::path const& path, std::optional<std::int64_t> frame)
{
    TextInput input(path);
    std::int64_t const count = find_frame(input, frame);
    StartFile file;
    file.path = path.string();
    input.require_line("the line with Lattice");
    Comment const comment = parse_comment(input);
    parse_box(input, comment, file);
    auto const properties = comment.find("Properties");
    XyzColumns const columns = parse_properties(
        input, properties == comment.end() ? "species:S:1:pos:R:3" : properties->second);
    Vec3<double> origin;
    if (auto const found = comment.find("Origin"); found != comment.end())
    {
        auto const numbers = numbers_of(input, found->second, 3, "Origin");
        origin = {numbers[0], numbers[1], numbers[2]};
    }
    ParticleLines lines(input, columns, file);
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        input.require_line("a particle");
        lines.parse();
        file.state.position.back() = file.state.position.back() - origin;
    }
    recognize_numbers(file);
    if (!columns.unused.empty())
    {
        file.notices.push_back(fmt::format("{}: the columns {} are not used", file.path,
                                           list_foreign_names(columns.unused)));
    }
    return file;
}

}  // namespace tessera
