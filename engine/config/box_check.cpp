#include <fmt/format.h>

#include <cmath>
#include <string>
#include <variant>

#include "engine/config/config.hpp"

namespace tessera
{

std::vector<Problem> check_box(Config const& config, Box const& box)
{
    std::string key = "system.file";
    if (std::holds_alternative<LatticeConfig>(config.system.start))
    {
        key = "system.lattice";
    }
    else if (std::holds_alternative<RandomConfig>(config.system.start))
    {
        key = "system.random";
    }
    double const cutoff = max_cutoff(config);
    std::vector<Problem> problems;
    for (int axis = 0; axis < 3; ++axis)
    {
        char const name = "xyz"[axis];
        double const edge = box.edges[axis];
        if (!(std::isfinite(edge) && edge > 0.0))
        {
            problems.push_back({key, fmt::format("gives a box edge of {} along {}; it must be a "
                                                 "length above 0; check density and size",
                                                 edge, name)});
        }
        else if (box.periodic(axis) && edge < 2.0 * cutoff)
        {
            problems.push_back(
                {key, fmt::format("gives a box edge of {:.6g} along {}, but the largest cutoff {} "
                                  "needs at least {}: below that a particle would meet two copies "
                                  "of another; make the box larger, the cutoff smaller, or the "
                                  "axis open",
                                  edge, name, cutoff, 2.0 * cutoff)});
        }
    }
    return problems;
}

void require_box(Config const& config, Box const& box)
{
    std::string faults;
    for (Problem const& problem : check_box(config, box))
    {
        faults += (faults.empty() ? "" : "\n") + problem.key + ": " + problem.message;
    }
    if (!faults.empty())
    {
        throw ConfigError(faults);
    }
}

}  // namespace tessera
