#include "io/input/output.hpp"

namespace tessera
{
namespace
{

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
    map.read("coordination", thermo.coordination);
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
    map.read("start", rdf.start);
    map.read("bins", rdf.bins);
    map.finish();
    return rdf;
}

}  // namespace

void read_duration(MapReader& map, std::string_view key, std::optional<double>& seconds)
{
    Duration duration;
    if (map.read(key, duration))
    {
        seconds = duration.seconds;
    }
}

OutputConfig read_output(YamlPointer node, Faults& faults)
{
    OutputConfig output;
    output.thermo.emplace();
    if (!node)
    {
        return output;
    }
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

}  // namespace tessera
