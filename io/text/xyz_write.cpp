#include "io/text/written_box.hpp"
#include "io/text/xyz.hpp"

namespace tessera
{

namespace
{

void write_comment(TextOutput& out, State const& state, WrittenBox const& box)
{
    Vec3<double> const edges = box.edges(), low = box.low();
    out.print("Lattice=\"{} 0 0 0 {} 0 0 0 {}\" ", edges.x, edges.y, edges.z);
    if (!(low == Vec3<double>{}))
    {
        out.print("Origin=\"{} {} {}\" ", low.x, low.y, low.z);
    }
    out.print("Properties=species:S:1:pos:R:3{}{}:id:I:1{} ",
              state.image.empty() ? "" : ":image:I:3", state.velocity.empty() ? "" : ":velo:R:3",
              state.species_mass.empty() ? "" : ":mass:R:1");
    auto const flag = [&](int axis) {
        return state.box.periodic(axis) ? 'T' : 'F';
    };
    out.print("pbc=\"{} {} {}\" Step={} Time={}\n", flag(0), flag(1), flag(2), state.step,
              state.time);
}

}  // namespace

void write_xyz(TextOutput& out, State const& state)
{
    WrittenBox const box(state);
    out.print("{}\n", state.particle_count());
    write_comment(out, state, box);
    for (std::size_t particle = 0; particle < state.position.size(); ++particle)
    {
        auto const species = static_cast<std::size_t>(state.species[particle]);
        Vec3<double> const r = box.position(particle);
        out.print("{} {} {} {}", state.species_names[species], r.x, r.y, r.z);
        box.print_image(out, particle);
        box.print_velocity(out, particle);
        out.print(" {}", state.id[particle]);
        if (!state.species_mass.empty())
        {
            out.print(" {}", state.species_mass[species]);
        }
        out.print("\n");
    }
}

}  // namespace tessera
