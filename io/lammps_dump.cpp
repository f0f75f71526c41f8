#include "io/lammps_dump.hpp"

namespace tessera
{

void write_lammps_dump(TextOutput& out, State const& state)
{
    Vec3<double> const edges = state.box.edges;
    auto const flag = [&](int axis) {
        return state.box.periodic(axis) ? "pp" : "ff";
    };
    out.print("ITEM: TIMESTEP\n{}\nITEM: NUMBER OF ATOMS\n{}\n", state.step,
              state.particle_count());
    out.print("ITEM: BOX BOUNDS {} {} {}\n0 {}\n0 {}\n0 {}\n", flag(0), flag(1), flag(2), edges.x,
              edges.y, edges.z);
    out.print("ITEM: ATOMS id type x y z ix iy iz vx vy vz\n");
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        Vec3<double> const& r = state.position[particle];
        Vec3<double> const& v = state.velocity[particle];
        Vec3<std::int32_t> const& image = state.image[particle];
        out.print("{} {} {} {} {} {} {} {} {} {} {}\n", state.id[particle],
                  state.species[particle] + 1, r.x, r.y, r.z, image.x, image.y, image.z, v.x, v.y,
                  v.z);
    }
}

}  // namespace tessera
