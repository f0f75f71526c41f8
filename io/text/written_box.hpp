#pragma once

#include <cstddef>

#include "engine/state/state.hpp"
#include "io/text/output.hpp"

namespace tessera
{

/// The box as text formats write it: along open axes wide enough for every particle, since readers
/// drop what lies outside, and with positions unfolded, since images count the state's edges.
///
/// Periodic axes are as in the state.
class WrittenBox
{
public:
    explicit WrittenBox(State const& state);

    Vec3<double> const& low() const
    {
        return low_;
    }
    Vec3<double> const& high() const
    {
        return high_;
    }
    Vec3<double> edges() const
    {
        return high_ - low_;
    }
    Vec3<double> position(std::size_t particle) const;
    /// " ix iy iz" and " vx vy vz"; nothing where the state has none.
    void print_image(TextOutput& out, std::size_t particle) const;
    void print_velocity(TextOutput& out, std::size_t particle) const;

private:
    State const& state_;
    Vec3<double> low_, high_;
};

}  // namespace tessera
