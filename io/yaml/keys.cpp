#include "io/yaml/keys.hpp"

namespace tessera
{
namespace
{

constexpr std::string_view keys[] = {
    "system.lattice.type",
    "system.lattice.cells",
    "system.lattice.density",
    "system.random.count",
    "system.random.density",
    "system.random.min_distance",
    "system.file",
    "system.frame",
    "system.species.name",
    "system.species.mass",
    "system.species.fraction",
    "system.temperature",
    "system.seed",
    "system.boundary",
    "potential.type",
    "potential.n",
    "potential.m",
    "potential.cutoff",
    "potential.truncation",
    "potential.switch_on",
    "potential.tail_correction",
    "potential.mixing",
    "potential.pairs.species",
    "potential.pairs.epsilon",
    "potential.pairs.sigma",
    "potential.pairs.cutoff",
    "potential.pairs.n",
    "potential.pairs.m",
    "neighbor.rebuild",
    "neighbor.skin",
    "force.path",
    "force.precision",
    "force.lanes",
    "reorder.streams",
    "reorder.chunk_particles",
    "reorder.format",
    "ensemble.type",
    "run.steps",
    "run.dt",
    "run.walltime",
    "output.trajectory.file",
    "output.trajectory.every",
    "output.trajectory.fields",
    "output.trajectory.dtype",
    "output.trajectory.compress",
    "output.thermo.file",
    "output.thermo.every",
    "output.thermo.coordination",
    "output.checkpoint.file",
    "output.checkpoint.every",
    "output.checkpoint.wall_every",
    "output.rdf.file",
    "output.rdf.every",
    "output.rdf.start",
    "output.rdf.bins",
    "output.overwrite",
    "device",
    "threads",
};

/// True if `part` is one of the path's names, at `position` from its start.
bool has_part(std::string_view path, std::string_view part, std::size_t position)
{
    std::size_t const end = position + part.size();
    return path.substr(position).starts_with(part) &&
           (position == 0 || path[position - 1] == '.') && (end == path.size() || path[end] == '.');
}

}  // namespace

std::span<std::string_view const> input_keys()
{
    return keys;
}

std::string section_of_key(std::string_view key)
{
    std::string sections;
    std::string last;
    for (std::string_view const path : keys)
    {
        for (std::size_t at = path.find(key); !key.empty() && at != std::string_view::npos;
             at = path.find(key, at + 1))
        {
            std::string const section{path.substr(0, at == 0 ? 0 : at - 1)};
            if (!has_part(path, key, at) || (section == last && !sections.empty()))
            {
                continue;
            }
            last = section;
            sections += sections.empty() ? "" : " or ";
            sections += section.empty() ? "the top level" : "'" + section + "'";
        }
    }
    return sections;
}

}  // namespace tessera
