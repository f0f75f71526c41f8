#include "io/yaml_config.hpp"

#include <fmt/format.h>

#include "io/device_name.hpp"
#include "io/yaml_reader.hpp"

namespace tessera
{

static bool read_value(YamlNode const& node, std::string const& key, Faults& faults,
                       SpeciesConfig& species)
{
    MapReader map(YamlPointer(YamlPointer{}, &node), key, faults);
    map.require("name", species.name);
    map.read("mass", species.mass);
    map.read("fraction", species.fraction);
    map.finish();
    return map.is_map();
}

static bool read_value(YamlNode const& node, std::string const& key, Faults& faults,
                       PairConfig& pair)
{
    MapReader map(YamlPointer(YamlPointer{}, &node), key, faults);
    std::vector<std::string> names;
    if (map.require("species", names))
    {
        if (names.size() == 2)
        {
            pair.first = names[0];
            pair.second = names[1];
        }
        else
        {
            map.fail("species",
                     fmt::format("names {} species; a pair has two, such as [A, B]", names.size()));
        }
    }
    map.require("epsilon", pair.epsilon);
    map.require("sigma", pair.sigma);
    map.read("cutoff", pair.cutoff);
    map.finish();
    return map.is_map();
}

namespace
{

void read_duration(MapReader& map, std::string_view key, std::optional<double>& seconds)
{
    Duration duration;
    if (map.read(key, duration))
    {
        seconds = duration.seconds;
    }
}

LatticeConfig read_lattice(YamlPointer node, Faults& faults)
{
    LatticeConfig lattice;
    MapReader map(std::move(node), "system.lattice", faults);
    map.require("type", lattice.type);
    map.require("cells", lattice.cells);
    map.require("density", lattice.density);
    map.finish();
    return lattice;
}

RandomConfig read_random(YamlPointer node, Faults& faults)
{
    RandomConfig random;
    MapReader map(std::move(node), "system.random", faults);
    map.require("count", random.count);
    map.require("density", random.density);
    map.read("min_distance", random.min_distance);
    map.finish();
    return random;
}

/// `frame` stands beside `file`: "last" or a number.
void read_frame(MapReader& map, YamlPointer const& frame, FileConfig& file)
{
    if (frame->kind == NodeKind::scalar && frame->text == "last")
    {
        return;
    }
    std::int64_t number = 0;
    if (!map.read("frame", number))
    {
        return;
    }
    if (number < 0)
    {
        map.fail("frame",
                 fmt::format("is {}; frames are numbered from 0; give one, or 'last'", number));
        return;
    }
    file.frame = number;
}

void read_start(MapReader& map, StartConfig& start)
{
    YamlPointer const lattice = map.find("lattice");
    YamlPointer const random = map.find("random");
    YamlPointer const file = map.find("file");
    YamlPointer const frame = map.find("frame");
    if (!lattice && !random && !file && map.is_map())
    {
        map.fail("lattice",
                 "is missing, and so are random and file; the particles need exactly "
                 "one of the three; add one");
    }
    if ((lattice && (random || file)) || (random && file))
    {
        std::string_view const second = file ? "file" : "random";
        map.fail(second, fmt::format("stands beside {}; the particles need exactly one of lattice, "
                                     "random and file; keep one",
                                     lattice ? "lattice" : "random"));
    }
    if (lattice)
    {
        start = read_lattice(lattice, map.faults());
    }
    if (random)
    {
        start = read_random(random, map.faults());
    }
    if (file)
    {
        FileConfig from_file;
        map.read("file", from_file.path);
        if (frame)
        {
            read_frame(map, frame, from_file);
        }
        start = from_file;
    }
    else if (frame)
    {
        map.fail("frame", "is given without file; it picks a frame of system.file; remove it");
    }
}

SystemConfig read_system(YamlPointer node, Faults& faults)
{
    SystemConfig system;
    MapReader map(std::move(node), "system", faults);
    read_start(map, system.start);
    map.read("species", system.species);
    map.read("temperature", system.temperature);
    map.read("seed", system.seed);
    map.read("boundary", system.boundary);
    map.finish();
    return system;
}

PotentialConfig read_potential(YamlPointer node, SystemConfig const& system, Faults& faults)
{
    PotentialConfig potential;
    potential.pairs.clear();
    bool pairs_given = false;
    if (node)
    {
        MapReader map(std::move(node), "potential", faults);
        map.read("cutoff", potential.cutoff);
        map.read("truncation", potential.truncation);
        map.read("switch_on", potential.switch_on);
        map.read("tail_correction", potential.tail_correction);
        map.read("mixing", potential.mixing);
        pairs_given = map.find("pairs") != nullptr;
        map.read("pairs", potential.pairs);
        map.finish();
    }
    if (!pairs_given && system.species.size() == 1)
    {
        std::string const& name = system.species.front().name;
        potential.pairs.push_back({name, name, 1.0, 1.0, std::nullopt});
    }
    return potential;
}

ReorderConfig read_reorder(YamlPointer node, Faults& faults)
{
    ReorderConfig reorder;
    MapReader map(std::move(node), "reorder", faults);
    map.read("streams", reorder.streams);
    YamlPointer const particles = map.find("chunk_particles");
    if (particles && !(particles->kind == NodeKind::scalar && particles->text == "auto"))
    {
        map.read("chunk_particles", reorder.chunk_particles);
    }
    map.read("format", reorder.format);
    map.finish();
    return reorder;
}

EnsembleConfig read_ensemble(YamlPointer node, Faults& faults)
{
    EnsembleConfig ensemble;
    MapReader map(std::move(node), "ensemble", faults);
    YamlPointer const type = map.find("type");
    bool const good = map.require("type", ensemble.type);
    // The keys of an ensemble that is refused anyway are not worth a second message.
    if (good || !type)
    {
        map.finish();
    }
    return ensemble;
}

RunConfig read_run(YamlPointer node, Faults& faults)
{
    RunConfig run;
    MapReader map(std::move(node), "run", faults);
    map.require("steps", run.steps);
    map.read("dt", run.dt);
    read_duration(map, "walltime", run.walltime);
    map.finish();
    return run;
}

TrajectoryConfig read_trajectory(YamlPointer node, Faults& faults)
{
    TrajectoryConfig trajectory;
    MapReader map(std::move(node), "output.trajectory", faults);
    map.require("file", trajectory.file);
    map.require("every", trajectory.every);
    map.read("fields", trajectory.fields);
    map.read("dtype", trajectory.dtype);
    map.read("compress", trajectory.compress);
    map.finish();
    return trajectory;
}

ThermoConfig read_thermo(YamlPointer node, Faults& faults)
{
    ThermoConfig thermo;
    MapReader map(std::move(node), "output.thermo", faults);
    map.read("file", thermo.file);
    map.read("every", thermo.every);
    map.finish();
    return thermo;
}

CheckpointConfig read_checkpoint(YamlPointer node, Faults& faults)
{
    CheckpointConfig checkpoint;
    MapReader map(std::move(node), "output.checkpoint", faults);
    map.require("file", checkpoint.file);
    map.read("every", checkpoint.every);
    read_duration(map, "wall_every", checkpoint.wall_every);
    map.finish();
    return checkpoint;
}

RdfConfig read_rdf(YamlPointer node, Faults& faults)
{
    RdfConfig rdf;
    MapReader map(std::move(node), "output.rdf", faults);
    map.require("file", rdf.file);
    map.read("every", rdf.every);
    map.read("bins", rdf.bins);
    map.finish();
    return rdf;
}

OutputConfig read_output(YamlPointer node, Faults& faults)
{
    OutputConfig output;
    MapReader map(std::move(node), "output", faults);
    if (YamlPointer const trajectory = map.find("trajectory"))
    {
        output.trajectory = read_trajectory(trajectory, faults);
    }
    if (YamlPointer const thermo = map.find("thermo"))
    {
        output.thermo = read_thermo(thermo, faults);
    }
    if (YamlPointer const checkpoint = map.find("checkpoint"))
    {
        output.checkpoint = read_checkpoint(checkpoint, faults);
    }
    if (YamlPointer const rdf = map.find("rdf"))
    {
        output.rdf = read_rdf(rdf, faults);
    }
    map.read("overwrite", output.overwrite);
    map.finish();
    return output;
}

NeighborConfig read_neighbor(YamlPointer node, Faults& faults)
{
    NeighborConfig neighbor;
    MapReader map(std::move(node), "neighbor", faults);
    map.read("rebuild", neighbor.rebuild);
    map.read("skin", neighbor.skin);
    map.finish();
    return neighbor;
}

ForceConfig read_force(YamlPointer node, Faults& faults)
{
    ForceConfig force;
    MapReader map(std::move(node), "force", faults);
    map.read("path", force.path);
    map.read("precision", force.precision);
    map.finish();
    return force;
}

/// auto, cpu, cuda or cuda:1.
void read_device(YamlNode const& node, Faults& faults, DeviceConfig& device)
{
    std::string text;
    if (!read_scalar(node, "device", faults, "a name", text))
    {
        return;
    }
    if (std::optional<DeviceConfig> const parsed = parse_device(text))
    {
        device = *parsed;
        return;
    }
    constexpr std::string_view names[] = {"auto", "cpu", "cuda", "cuda:1"};
    refuse_name(node, "device", faults, names, {});
}

void read_threads(MapReader& map, int& threads)
{
    YamlPointer const node = map.find("threads");
    if (!node || (node->kind == NodeKind::scalar && node->text == "auto"))
    {
        return;
    }
    if (map.read("threads", threads) && threads < 1)
    {
        map.fail("threads", fmt::format("is {}; a run has at least one; give a number from 1, or "
                                        "'auto'",
                                        threads));
        threads = 0;
    }
}

}  // namespace

Config read_config(YamlDocument& document)
{
    Config config;
    Faults& faults = document.faults;
    MapReader map(document.root, "", faults);
    if (YamlPointer const system = map.find("system"))
    {
        config.system = read_system(system, faults);
    }
    else
    {
        map.miss("system");
    }
    config.potential = read_potential(map.find("potential"), config.system, faults);
    if (YamlPointer const neighbor = map.find("neighbor"))
    {
        config.neighbor = read_neighbor(neighbor, faults);
    }
    if (YamlPointer const force = map.find("force"))
    {
        config.force = read_force(force, faults);
    }
    if (YamlPointer const reorder = map.find("reorder"))
    {
        config.reorder = read_reorder(reorder, faults);
    }
    if (YamlPointer const ensemble = map.find("ensemble"))
    {
        config.ensemble = read_ensemble(ensemble, faults);
    }
    if (YamlPointer const run = map.find("run"))
    {
        config.run = read_run(run, faults);
    }
    else
    {
        map.miss("run");
    }
    if (YamlPointer const output = map.find("output"))
    {
        config.output = read_output(output, faults);
    }
    if (YamlPointer const device = map.find("device"))
    {
        read_device(*device, faults, config.device);
    }
    read_threads(map, config.threads);
    map.finish();
    return config;
}

}  // namespace tessera
