#include "io/text/lammps_data.hpp"
#include "io/text/written_box.hpp"

namespace tessera
{

namespace
{

void write_header(TextOutput& out, State const& state, WrittenBox const& box)
{
    auto const flag = [&](int axis) {
        return state.box.periodic(axis) ? 'p' : 'f';
    };
    out.print("{}{} {} {}, step {}\n\n", lammps_title, flag(0), flag(1), flag(2), state.step);
    out.print("{} atoms\n{} atom types\n\n", state.particle_count(), state.species_names.size());
    constexpr char const* axes[] = {"x", "y", "z"};
    for (int axis = 0; axis < 3; ++axis)
    {
        out.print("{0} {1} {2}lo {2}hi\n", box.low()[axis], box.high()[axis], axes[axis]);
    }
}

}  // namespace

void write_lammps_data(TextOutput& out, State const& state)
{
    WrittenBox const box(state);
    write_header(out, state, box);
    out.print("{}", state.species_mass.empty() ? "" : "\nMasses\n\n");
    for (std::size_t species = 0; species < state.species_mass.size(); ++species)
    {
        out.print("{} {}  # {}\n", species + 1, state.species_mass[species],
                  state.species_names[species]);
    }
    out.print("\nAtoms # atomic\n\n");
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        Vec3<double> const r = box.position(particle);
        out.print("{} {} {} {} {}", state.id[particle], state.species[particle] + 1, r.x, r.y, r.z);
        box.print_image(out, particle);
        out.print("\n");
    }
    out.print("{}", state.velocity.empty() ? "" : "\nVelocities\n\n");
    for (std::size_t particle = 0; particle < state.velocity.size(); ++particle)
    {
        Vec3<double> const& v = state.velocity[particle];
        out.print("{} {} {} {}\n", state.id[particle], v.x, v.y, v.z);
    }
}

}  // namespace tessera
