#include "io/input/config.hpp"

#include <fmt/format.h>

#include "io/input/output.hpp"
#include "io/input/system.hpp"
#include "io/yaml/device_name.hpp"
#include "io/yaml/reader.hpp"

namespace tessera
{

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
    map.read("n", pair.n);
    map.read("m", pair.m);
    map.finish();
    return map.is_map();
}

namespace
{

PotentialConfig read_potential(YamlPointer node, SystemConfig const& system, Faults& faults)
{
    PotentialConfig potential;
    potential.pairs.clear();
    bool pairs_given = false;
    if (node)
    {
        MapReader map(std::move(node), "potential", faults);
        map.read("type", potential.type);
        map.read("n", potential.n);
        map.read("m", potential.m);
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

/// A number, or `auto`, which leaves `value` empty.
template <class T>
void read_unless_auto(MapReader& map, std::string_view key, std::optional<T>& value)
{
    YamlPointer const node = map.find(key);
    if (node && !(node->kind == NodeKind::scalar && node->text == "auto"))
    {
        map.read(key, value);
    }
}

ReorderConfig read_reorder(YamlPointer node, Faults& faults)
{
    ReorderConfig reorder;
    MapReader map(std::move(node), "reorder", faults);
    map.read("streams", reorder.streams);
    read_unless_auto(map, "chunk_particles", reorder.chunk_particles);
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
    read_unless_auto(map, "lanes", force.lanes);
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
    config.output = read_output(map.find("output"), faults);
    if (YamlPointer const device = map.find("device"))
    {
        read_device(*device, faults, config.device);
    }
    read_threads(map, config.threads);
    map.finish();
    return config;
}

}  // namespace tessera
