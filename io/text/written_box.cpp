#include "io/text/written_box.hpp"

#include <algorithm>

namespace tessera
{

WrittenBox::WrittenBox(State const& state) : state_(state), high_(state.box.edges)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        if (state.box.periodic(axis))
        {
            continue;
        }
        double lowest = 0.0, highest = 0.0;
        for (std::size_t particle = 0; particle < state.position.size(); ++particle)
        {
            double const coordinate = position(particle)[axis];
            lowest = std::min(lowest, coordinate);
            highest = std::max(highest, coordinate);
        }
        double const margin = 1e-6 * (highest - lowest);
        // A particle on an upper face is outside for LAMMPS; a millionth survives any rounding.
        low_[axis] = lowest < 0.0 ? lowest - margin : 0.0;
        high_[axis] = highest >= high_[axis] ? highest + margin : high_[axis];
    }
}

Vec3<double> WrittenBox::position(std::size_t particle) const
{
    Vec3<double> position = state_.position[particle];
    for (int axis = 0; axis < 3; ++axis)
    {
        if (!state_.box.periodic(axis) && !state_.image.empty())
        {
            position[axis] += state_.image[particle][axis] * state_.box.edges[axis];
        }
    }
    return position;
}

void WrittenBox::print_image(TextOutput& out, std::size_t particle) const
{
    if (state_.image.empty())
    {
        return;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        out.print(" {}", state_.box.periodic(axis) ? state_.image[particle][axis] : 0);
    }
}

void WrittenBox::print_velocity(TextOutput& out, std::size_t particle) const
{
    if (!state_.velocity.empty())
    {
        Vec3<double> const& v = state_.velocity[particle];
        out.print(" {} {} {}", v.x, v.y, v.z);
    }
}

}  // namespace tessera
