#include "io/text/lammps_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/files/printable.hpp"
#include "io/text/lammps_atoms.hpp"
#include "io/text/lammps_lines.hpp"
#include "io/text/lammps_pairs.hpp"

namespace tessera
{

namespace
{

/// Reads one file section by section.
class Parser
{
public:
    explicit Parser(std::filesystem::path const& path) : lines_(path)
    {
        file_.path = path.string();
        file_.first_number = 1;
    }

    StartFile parse()
    {
        parse_title();
        while (lines_.step())
        {
            char const first = fields().front().front();
            bool const is_title = (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
            is_title ? parse_section() : parse_header();
        }
        if (sections_.count("Atoms") == 0)
        {
            fail("the file has no Atoms section.");
        }
        name_species();
        return std::move(file_);
    }

private:
    std::vector<std::string_view> const& fields() const
    {
        return lines_.fields();
    }
    TextInput const& input() const
    {
        return lines_.input();
    }
    [[noreturn]] void fail(std::string_view message) const
    {
        input().fail(message);
    }

    /// The title is free text; that of files written here tells the boundary.
    void parse_title()
    {
        std::string_view const title = input().line();
        if (title.starts_with(lammps_title))
        {
            auto const words = fields_of(title.substr(lammps_title.size()));
            Vec3<Boundary> boundary;
            for (std::size_t axis = 0; axis < 3; ++axis)
            {
                std::string_view const flag =
                    words.size() < 3 ? "" : words[axis].substr(0, words[axis].find(','));
                if (flag != "p" && flag != "f")
                {
                    fail("this title tells the boundary, but not by three of p and f.");
                }
                boundary[static_cast<int>(axis)] =
                    flag == "p" ? Boundary::periodic : Boundary::open;
            }
            file_.boundary = boundary;
        }
        constexpr std::string_view mark = "units = ";
        std::size_t const units = title.find(mark);
        if (units != std::string_view::npos && !title.substr(units + mark.size()).starts_with("lj"))
        {
            file_.notices.push_back(fmt::format(
                "{}: its title says '{}'; its numbers are taken as they are, in reduced units",
                file_.path, printable(title.substr(units))));
        }
    }

    void parse_header()
    {
        std::string key;
        std::size_t numbers = 0;
        for (std::string_view const field : fields())
        {
            bool const word = field.front() >= 'a' && field.front() <= 'z';
            numbers += word ? 0 : 1;
            key += word ? std::string(key.empty() ? "" : " ") + std::string(field) : "";
        }
        constexpr std::string_view faces[] = {"xlo xhi", "ylo yhi", "zlo zhi"};
        auto const* const face = std::find(std::begin(faces), std::end(faces), key);
        if (face != std::end(faces) && numbers == 2)
        {
            parse_faces(static_cast<int>(face - std::begin(faces)));
        }
        else if (key == "atoms" && numbers == 1)
        {
            // An atom takes no less than "1 1 0 0 0" and the end of its line.
            atoms_ = input().count(fields()[0], 10, "the number of atoms");
        }
        else if (key == "atom types" && numbers == 1)
        {
            parse_type_count();
        }
        else if (key == "xy xz yz" && numbers == 3)
        {
            for (std::size_t tilt = 0; tilt < 3; ++tilt)
            {
                if (input().number(fields()[tilt], "a tilt") != 0.0)
                {
                    fail("only orthogonal boxes are read: tilt factors must be 0.");
                }
            }
        }
        else
        {
            parse_other_count(key, numbers);
        }
    }

    void parse_faces(int axis)
    {
        low_[axis] = input().number(fields()[0], "a box face");
        file_.state.box.edges[axis] = input().number(fields()[1], "a box face") - low_[axis];
        if (file_.state.box.edges[axis] <= 0.0)
        {
            fail("the upper face of the box is not above the lower one.");
        }
        faces_read_[axis] = true;
    }

    void parse_type_count()
    {
        std::int64_t const types = input().integer(fields()[0], "the number of atom types");
        if (types < 1 || types > static_cast<std::int64_t>(max_species))
        {
            fail(fmt::format("the file has {} atom types; a run has room for 1 to {}.", types,
                             max_species));
        }
        if (!file_.species.empty())
        {
            fail("the number of atom types is given twice.");
        }
        file_.species.resize(static_cast<std::size_t>(types));
        for (std::int64_t type = 0; type < types; ++type)
        {
            file_.species[static_cast<std::size_t>(type)].number = type + 1;
        }
    }

    /// Counts of bonds and the like, which must be 0; room and kinds for them do no harm.
    void parse_other_count(std::string const& key, std::size_t numbers)
    {
        bool const harmless = (key.starts_with("extra ") && key.ends_with(" per atom")) ||
                              (key.ends_with(" types") && key != "types");
        if (numbers != 1 || (!harmless && input().integer(fields()[0], "a count") != 0))
        {
            fail(
                fmt::format("this header line ('{}') is not known: atoms alone, without bonds or "
                            "other topology, are read; what else there is would be dropped.",
                            printable(input().line())));
        }
    }

    void parse_section()
    {
        using Section = std::pair<std::string_view, void (Parser::*)()>;
        constexpr Section known[] = {{"Masses", &Parser::parse_masses},
                                     {"Atom Type Labels", &Parser::parse_labels},
                                     {"Pair Coeffs", &Parser::parse_pair_coeffs},
                                     {"PairIJ Coeffs", &Parser::parse_pair_coeffs},
                                     {"Atoms", &Parser::parse_atoms},
                                     {"Velocities", &Parser::parse_velocities}};
        std::string const title = joined_fields();
        auto const* const section =
            std::find_if(std::begin(known), std::end(known),
                         [&](Section const& entry) { return entry.first == title; });
        if (section == std::end(known))
        {
            fail(
                fmt::format("a section '{}' is not read, and what it holds would be dropped; only "
                            "the sections Masses, Atom Type Labels, Pair Coeffs, PairIJ Coeffs, "
                            "Atoms and Velocities are read. Take it out if it means nothing here.",
                            printable(title)));
        }
        if (atoms_ < 1 || file_.species.empty() || !(faces_read_ == Vec3<bool>{true, true, true}))
        {
            fail(
                "the header before this section must give atoms, atom types, xlo xhi, "
                "ylo yhi and zlo zhi.");
        }
        if (!sections_.insert(title).second)
        {
            fail(fmt::format("the section {} has come before.", title));
        }
        (this->*section->second)();
    }

    /// The words of a section's title.
    std::string joined_fields() const
    {
        std::string joined;
        for (std::string_view const field : fields())
        {
            joined += (joined.empty() ? "" : " ");
            joined += field;
        }
        return joined;
    }

    std::size_t type_of(std::string_view field) const
    {
        auto const& species = file_.species;
        bool const number = field.front() >= '0' && field.front() <= '9';
        if (labels_read() && !number)
        {
            auto const label = std::find_if(species.begin(), species.end(),
                                            [&](auto const& one) { return one.name == field; });
            if (label == species.end())
            {
                fail(fmt::format("no type has the label '{}'.", printable(field)));
            }
            return static_cast<std::size_t>(label - species.begin());
        }
        std::int32_t const type = input().small_integer(field, "a type");
        if (type < 1 || static_cast<std::size_t>(type) > species.size())
        {
            fail("the type is not from 1 to the number of atom types.");
        }
        return static_cast<std::size_t>(type) - 1;
    }

    TypeOf type_reader() const
    {
        return [this](std::string_view field) {
            return type_of(field);
        };
    }

    bool labels_read() const
    {
        return sections_.count("Atom Type Labels") != 0;
    }

    void parse_labels()
    {
        std::set<std::string> names;
        std::vector<std::string> labels(file_.species.size());
        for (std::size_t line = 0; line < labels.size(); ++line)
        {
            lines_.require("the label of a type");
            lines_.expect_fields(2, "a type and its label");
            std::int32_t const type = input().small_integer(fields()[0], "a type");
            bool const known = type >= 1 && static_cast<std::size_t>(type) <= labels.size();
            if (!known || !labels[static_cast<std::size_t>(type) - 1].empty())
            {
                fail("the type is not from 1 to the number of atom types, or was there before.");
            }
            std::string const label = input().name(fields()[1]);
            if (!names.insert(label).second)
            {
                fail(fmt::format("two types have the label {}.", label));
            }
            labels[static_cast<std::size_t>(type) - 1] = label;
        }
        for (std::size_t type = 0; type < labels.size(); ++type)
        {
            file_.species[type].name = labels[type];
        }
    }

    void parse_masses()
    {
        hints_.resize(file_.species.size());
        for (std::size_t line = 0; line < file_.species.size(); ++line)
        {
            lines_.require("a mass");
            lines_.expect_fields(2, "a type and its mass");
            std::size_t const type = type_of(fields()[0]);
            if (file_.species[type].mass)
            {
                fail(fmt::format("the mass of type {} has come before.", type + 1));
            }
            file_.species[type].mass = lines_.positive(fields()[1], "a mass");
            auto const& comment = lines_.comment();
            if (comment.size() == 1 && is_species_name(comment.front()))
            {
                hints_[type] = comment.front();
            }
        }
    }

    void parse_pair_coeffs()
    {
        parse_lammps_pairs(lines_, file_.species.size(), type_reader(), file_.pairs);
    }

    void parse_atoms()
    {
        parse_lammps_atoms(lines_, atoms_, low_, type_reader(), file_.state);
    }

    void parse_velocities()
    {
        if (sections_.count("Atoms") == 0)
        {
            fail("Velocities must come after Atoms.");
        }
        parse_lammps_velocities(lines_, file_.state);
    }

    /// Types without labels are named by the words beside their masses, if all have one and each
    /// another, or by their numbers.
    void name_species()
    {
        if (labels_read())
        {
            return;
        }
        std::set<std::string> const distinct(hints_.begin(), hints_.end());
        bool const hinted = !hints_.empty() && distinct.size() == hints_.size() &&
                            distinct.count(std::string{}) == 0;
        file_.naming = hinted ? SpeciesNaming::hinted : SpeciesNaming::numbered;
        for (std::size_t type = 0; type < file_.species.size(); ++type)
        {
            file_.species[type].name = hinted ? hints_[type] : fmt::format("{}", type + 1);
        }
    }

    LammpsLines lines_;
    StartFile file_;
    std::vector<std::string> hints_;  // [type]
    std::set<std::string> sections_;
    Vec3<double> low_;
    Vec3<bool> faces_read_;
    std::int64_t atoms_ = 0;
};

}  // namespace

StartFile read_lammps_data(std::filesystem::path const& path)
{
    return Parser(path).parse();
}

}  // namespace tessera
