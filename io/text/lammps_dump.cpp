#include "io/text/lammps_dump.hpp"

#include "io/text/written_box.hpp"

namespace tessera
{

namespace
{

void write_header(TextOutput& out, State const& state, WrittenBox const& box)
{
    auto const flag = [&](int axis) {
        return state.box.periodic(axis) ? "pp" : "ff";
    };
    out.print("ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\n", state.step,
              state.particle_count());
    out.print("ITEM: BOX BOUNDS {} {} {}\n", flag(0), flag(1), flag(2));
    for (int axis = 0; axis < 3; ++axis)
    {
        out.print("{} {}\n", box.low()[axis], box.high()[axis]);
    }
    out.print("ITEM: ATOMS id type x y z{}{}\n", state.image.empty() ? "" : " ix iy iz",
              state.velocity.empty() ? "" : " vx vy vz");
}

}  // namespace

void write_lammps_dump(TextOutput& out, State const& state)
{
    WrittenBox const box(state);
    write_header(out, state, box);
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        Vec3<double> const r = box.position(particle);
        out.print("{} {} {} {} {}", state.id[particle], state.species[particle] + 1, r.x, r.y, r.z);
        box.print_image(out, particle);
        box.print_velocity(out, particle);
        out.print("\n");
    }
}

}  // namespace tessera
