#include "io/lammps_data.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/text_input.hpp"

namespace tessera
{

namespace
{

using Fields = std::vector<std::string_view>;

/// Reads one file section by section.
class Parser
{
public:
    explicit Parser(std::filesystem::path const& path) : input_(path)
    {
    }

    State parse()
    {
        input_.require_line("a title");
        while (step())
        {
            if (is_title())
            {
                parse_section();
            }
            else
            {
                parse_header();
            }
        }
        if (!positions_read_)
        {
            input_.fail("the file has no Atoms section.");
        }
        state_.force.resize(state_.position.size());
        return std::move(state_);
    }

private:
    /// Steps to the next line that is more than blanks and a comment.
    bool step()
    {
        while (input_.next_line())
        {
            std::string_view const line = input_.line();
            std::size_t const hash = std::min(line.find('#'), line.size());
            fields_ = fields_of(line.substr(0, hash));
            comment_ = fields_of(line.substr(std::min(hash + 1, line.size())));
            if (!fields_.empty())
            {
                return true;
            }
        }
        return false;
    }

    void require(char const* expected)
    {
        if (!step())
        {
            input_.fail(std::string("the file ends here, but ") + expected + " should follow.");
        }
    }

    bool is_title() const
    {
        char const first = fields_.front().front();
        return (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
    }

    void parse_header()
    {
        std::string key;
        std::size_t numbers = 0;
        for (std::string_view const field : fields_)
        {
            bool const word = field.front() >= 'a' && field.front() <= 'z';
            numbers += word ? 0 : 1;
            key += word ? std::string(key.empty() ? "" : " ") + std::string(field) : "";
        }
        int const axis =
            key == "xlo xhi" ? 0 : (key == "ylo yhi" ? 1 : (key == "zlo zhi" ? 2 : -1));
        if (axis >= 0 && numbers == 2)
        {
            low_[axis] = input_.number(fields_[0], "a box face");
            state_.box.edges[axis] = input_.number(fields_[1], "a box face") - low_[axis];
            if (state_.box.edges[axis] <= 0.0)
            {
                input_.fail("the upper face of the box is not above the lower one.");
            }
            faces_read_ += 1;
        }
        else if (key == "atoms" && numbers == 1)
        {
            particles_ = input_.integer(fields_[0], "the number of atoms");
        }
        else if (key == "atom types" && numbers == 1)
        {
            types_ = input_.small_integer(fields_[0], "the number of atom types");
        }
        else if (key == "xy xz yz" && numbers == 3)
        {
            for (std::size_t tilt = 0; tilt < 3; ++tilt)
            {
                if (input_.number(fields_[tilt], "a tilt") != 0.0)
                {
                    input_.fail("only orthogonal boxes are read.");
                }
            }
        }
        else if (numbers != 1 || input_.integer(fields_[0], key) != 0)
        {
            input_.fail(
                "this header line is not known: atoms alone, without bonds or other "
                "topology, are read.");
        }
    }

    void parse_section()
    {
        std::string const title(fields_.front());
        if (fields_.size() != 1 || (title != "Masses" && title != "Atoms" && title != "Velocities"))
        {
            input_.fail("only the sections Masses, Atoms and Velocities are read.");
        }
        if (particles_ < 1 || types_ < 1 || faces_read_ != 3)
        {
            input_.fail(
                "the header before this section must give atoms, atom types, xlo xhi, "
                "ylo yhi and zlo zhi.");
        }
        if (title == "Masses")
        {
            parse_masses();
        }
        else if (title == "Atoms")
        {
            parse_particles();
        }
        else
        {
            parse_velocities();
        }
    }

    std::int32_t type_index(std::string_view field) const
    {
        std::int32_t const type = input_.small_integer(field, "a type");
        if (type < 1 || type > types_)
        {
            input_.fail("the type is not from 1 to the number of atom types.");
        }
        return type - 1;
    }

    void expect_fields(std::size_t count, char const* what) const
    {
        if (fields_.size() != count)
        {
            input_.fail(std::string(what) + " are expected on this line.");
        }
    }

    void parse_masses()
    {
        state_.species_mass.assign(static_cast<std::size_t>(types_), 0.0);
        for (std::int32_t type = 0; type < types_; ++type)
        {
            require("a mass");
            expect_fields(2, "a type and its mass");
            auto const species = static_cast<std::size_t>(type_index(fields_[0]));
            state_.species_mass[species] = input_.number(fields_[1], "a mass");
            if (state_.species_mass[species] <= 0.0)
            {
                input_.fail("a mass must be above 0.");
            }
        }
    }

    void parse_particles()
    {
        if (!comment_.empty() && comment_.front() != "atomic")
        {
            input_.fail("only the atom style atomic is read: id type x y z [ix iy iz].");
        }
        for (std::int64_t particle = 0; particle < particles_; ++particle)
        {
            require("an atom");
            if (fields_.size() != 8)
            {
                expect_fields(5, "id type x y z, or those and ix iy iz,");
            }
            std::int64_t const id = input_.integer(fields_[0], "an id");
            if (!index_of_id_.emplace(id, state_.position.size()).second)
            {
                input_.fail("this id has come before.");
            }
            Vec3<double> position;
            Vec3<std::int32_t> image;
            for (int axis = 0; axis < 3; ++axis)
            {
                auto const column = static_cast<std::size_t>(axis);
                position[axis] = input_.number(fields_[2 + column], "a position") - low_[axis];
                image[axis] =
                    fields_.size() == 8 ? input_.small_integer(fields_[5 + column], "an image") : 0;
            }
            state_.id.push_back(id);
            state_.species.push_back(type_index(fields_[1]));
            state_.position.push_back(position);
            state_.image.push_back(image);
        }
        positions_read_ = true;
    }

    void parse_velocities()
    {
        if (!positions_read_)
        {
            input_.fail("Velocities must come after Atoms.");
        }
        state_.velocity.resize(state_.position.size());
        for (std::int64_t particle = 0; particle < particles_; ++particle)
        {
            require("a velocity");
            expect_fields(4, "id vx vy vz");
            auto const found = index_of_id_.find(input_.integer(fields_[0], "an id"));
            if (found == index_of_id_.end())
            {
                input_.fail("no atom has this id.");
            }
            Vec3<double>& velocity = state_.velocity[found->second];
            for (int axis = 0; axis < 3; ++axis)
            {
                velocity[axis] =
                    input_.number(fields_[1 + static_cast<std::size_t>(axis)], "a velocity");
            }
        }
    }

    TextInput input_;
    State state_;
    Fields fields_, comment_;
    Vec3<double> low_;
    std::int64_t particles_ = 0;
    std::int32_t types_ = 0;
    int faces_read_ = 0;
    bool positions_read_ = false;
    std::unordered_map<std::int64_t, std::size_t> index_of_id_;
};

}  // namespace

void write_lammps_data(TextOutput& out, State const& state)
{
    Vec3<double> const edges = state.box.edges;
    out.print("LAMMPS data file by tessera, units lj, step {}\n\n", state.step);
    out.print("{} atoms\n{} atom types\n\n", state.particle_count(), state.species_mass.size());
    out.print("0 {} xlo xhi\n0 {} ylo yhi\n0 {} zlo zhi\n\nMasses\n\n", edges.x, edges.y, edges.z);
    for (std::size_t species = 0; species < state.species_mass.size(); ++species)
    {
        out.print("{} {}  # {}\n", species + 1, state.species_mass[species],
                  state.species_names[species]);
    }
    out.print("\nAtoms # atomic\n\n");
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        Vec3<double> const& r = state.position[particle];
        Vec3<std::int32_t> const& image = state.image[particle];
        out.print("{} {} {} {} {} {} {} {}\n", state.id[particle], state.species[particle] + 1, r.x,
                  r.y, r.z, image.x, image.y, image.z);
    }
    out.print("\nVelocities\n\n");
    for (std::size_t particle = 0; particle < state.velocity.size(); ++particle)
    {
        Vec3<double> const& v = state.velocity[particle];
        out.print("{} {} {} {}\n", state.id[particle], v.x, v.y, v.z);
    }
}

State read_lammps_data(std::filesystem::path const& path)
{
    return Parser(path).parse();
}

}  // namespace tessera
