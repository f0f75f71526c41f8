#include "io/input/system.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "io/yaml/reader.hpp"

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

namespace
{

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

}  // namespace

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

}  // namespace tessera
