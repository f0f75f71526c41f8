#include <fmt/format.h>

#include <algorithm>

#include "io/input/input.hpp"
#include "io/yaml/device_name.hpp"
#include "io/yaml/enum_names.hpp"

namespace tessera
{
namespace
{

bool is_plain(std::string_view text)
{
    auto const letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    auto const inner = [&](char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '-';
    };
    bool const is_null = text == "null" || text == "Null" || text == "NULL";
    return !text.empty() && !is_null && letter(text.front()) &&
           std::all_of(text.begin(), text.end(), inner);
}

std::string quote(std::string_view text)
{
    if (is_plain(text))
    {
        return std::string{text};
    }
    std::string quoted = "\"";
    for (char const c : text)
    {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += c;
        }
        else if (byte < 0x20 || byte == 0x7f)
        {
            quoted += fmt::format("\\x{:02x}", byte);
        }
        else
        {
            quoted += c;
        }
    }
    return quoted + '"';
}

template <class E>
std::string names(Vec3<E> const& values)
{
    return fmt::format("[{}, {}, {}]", name_of(values.x), name_of(values.y), name_of(values.z));
}

std::string start_to_yaml(StartConfig const& start)
{
    if (auto const* lattice = std::get_if<LatticeConfig>(&start))
    {
        return fmt::format("  lattice: {{type: {}, cells: [{}, {}, {}], density: {}}}\n",
                           name_of(lattice->type), lattice->cells.x, lattice->cells.y,
                           lattice->cells.z, lattice->density);
    }
    if (auto const* random = std::get_if<RandomConfig>(&start))
    {
        return fmt::format("  random: {{count: {}, density: {}, min_distance: {}}}\n",
                           random->count, random->density, random->min_distance);
    }
    auto const& file = std::get<FileConfig>(start);
    return fmt::format("  file: {}\n  frame: {}\n", quote(file.path.string()),
                       file.frame ? fmt::format("{}", *file.frame) : "last");
}

std::string system_to_yaml(SystemConfig const& system)
{
    std::string text = "system:\n" + start_to_yaml(system.start) + "  species:\n";
    for (SpeciesConfig const& species : system.species)
    {
        text += fmt::format("    - {{name: {}, mass: {}", quote(species.name), species.mass);
        text += species.fraction ? fmt::format(", fraction: {}}}\n", *species.fraction) : "}\n";
    }
    if (system.temperature)
    {
        text += fmt::format("  temperature: {}\n", *system.temperature);
    }
    return text + fmt::format("  seed: {}\n  boundary: {}\n", system.seed, names(system.boundary));
}

std::string potential_to_yaml(PotentialConfig const& potential)
{
    std::string text = "potential:\n";
    if (potential.type == PotentialType::mie)
    {
        ResolvedPair const common;
        text += fmt::format("  type: {}\n  n: {}\n  m: {}\n", name_of(potential.type),
                            potential.n.value_or(common.n), potential.m.value_or(common.m));
    }
    text += fmt::format("  cutoff: {}\n  truncation: {}\n", potential.cutoff,
                        name_of(potential.truncation));
    if (potential.truncation == Truncation::switched)
    {
        text += fmt::format("  switch_on: {}\n", potential.switch_on);
    }
    text += fmt::format("  tail_correction: {}\n  mixing: {}\n", potential.tail_correction,
                        name_of(potential.mixing));
    text += potential.pairs.empty() ? "  pairs: []\n" : "  pairs:\n";
    for (PairConfig const& pair : potential.pairs)
    {
        text += fmt::format("    - {{species: [{}, {}], epsilon: {}, sigma: {}", quote(pair.first),
                            quote(pair.second), pair.epsilon, pair.sigma);
        for (auto const& [key, value] :
             {std::pair{"cutoff", pair.cutoff}, std::pair{"n", pair.n}, std::pair{"m", pair.m}})
        {
            text += value ? fmt::format(", {}: {}", key, *value) : "";
        }
        text += "}\n";
    }
    return text;
}

template <class T>
std::string number_or_auto(std::optional<T> const& value)
{
    return value ? fmt::format("{}", *value) : "auto";
}

std::string run_to_yaml(Config const& config)
{
    std::string text = fmt::format("ensemble: {{type: {}}}\n", name_of(config.ensemble.type));
    text += fmt::format("run: {{steps: {}, dt: {}", config.run.steps, config.run.dt);
    return text +
           (config.run.walltime ? fmt::format(", walltime: {}}}\n", *config.run.walltime) : "}\n");
}

std::string trajectory_to_yaml(TrajectoryConfig const& trajectory)
{
    std::string fields;
    for (Field const field : trajectory.fields)
    {
        fields += fields.empty() ? "" : ", ";
        fields += name_of(field);
    }
    return fmt::format(
        "  trajectory: {{file: {}, every: {}, fields: [{}], dtype: {}, "
        "compress: {}}}\n",
        quote(trajectory.file.string()), trajectory.every, fields, name_of(trajectory.dtype),
        trajectory.compress);
}

std::string output_to_yaml(OutputConfig const& output)
{
    std::string text = "output:\n";
    if (output.trajectory)
    {
        text += trajectory_to_yaml(*output.trajectory);
    }
    if (output.thermo)
    {
        std::string const file = output.thermo->file.empty()
                                     ? ""
                                     : "file: " + quote(output.thermo->file.string()) + ", ";
        std::string const coordination =
            output.thermo->coordination
                ? fmt::format(", coordination: {}", *output.thermo->coordination)
                : "";
        text +=
            fmt::format("  thermo: {{{}every: {}{}}}\n", file, output.thermo->every, coordination);
    }
    if (CheckpointConfig const* const checkpoint =
            output.checkpoint ? &*output.checkpoint : nullptr)
    {
        text += fmt::format("  checkpoint: {{file: {}", quote(checkpoint->file.string()));
        text += checkpoint->every ? fmt::format(", every: {}", *checkpoint->every) : "";
        text +=
            checkpoint->wall_every ? fmt::format(", wall_every: {}", *checkpoint->wall_every) : "";
        text += "}\n";
    }
    if (output.rdf)
    {
        text += fmt::format("  rdf: {{file: {}, every: {}, bins: {}, start: {}}}\n",
                            quote(output.rdf->file.string()), output.rdf->every, output.rdf->bins,
                            output.rdf->start);
    }
    return text + fmt::format("  overwrite: {}\n", output.overwrite);
}

}  // namespace

std::string speed_to_yaml(Config const& config)
{
    std::string text = fmt::format("neighbor: {{rebuild: {}, skin: {}}}\n",
                                   name_of(config.neighbor.rebuild), config.neighbor.skin);
    text +=
        fmt::format("force: {{path: {}, precision: {}, lanes: {}}}\n", name_of(config.force.path),
                    name_of(config.force.precision), number_or_auto(config.force.lanes));
    return text + fmt::format("reorder: {{streams: {}, chunk_particles: {}, format: {}}}\n",
                              config.reorder.streams,
                              number_or_auto(config.reorder.chunk_particles),
                              name_of(config.reorder.format));
}

std::string to_yaml(Config const& config)
{
    std::string const threads = config.threads == 0 ? "auto" : fmt::format("{}", config.threads);
    return system_to_yaml(config.system) + potential_to_yaml(config.potential) +
           speed_to_yaml(config) + run_to_yaml(config) + output_to_yaml(config.output) +
           fmt::format("device: {}\nthreads: {}\n", format_device(config.device), threads);
}

}  // namespace tessera
