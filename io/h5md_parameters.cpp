#include "io/h5md_parameters.hpp"

#include "engine/errors.hpp"
#include "io/hdf5_attributes.hpp"

namespace tessera::hdf5
{

Handle write_parameters(Handle const& file, RunInfo const& info, State const& state)
{
    Handle parameters = create_group(file, "parameters");
    write_text(parameters, "input_yaml", info.resolved_yaml);
    write_attribute(parameters, "seed", info.seed);
    write_attribute(parameters, "version", info.version);
    write_attribute(parameters, "device", info.device);
    write_attribute(parameters, "build", info.build);
    write_attribute(parameters, "random_numbers", info.random_numbers);
    write_attribute(parameters, "species_names", state.species_names);
    write_attribute(parameters, "species_masses", state.species_mass);
    if (!info.output_dir.empty())
    {
        write_attribute(parameters, "output_dir", info.output_dir);
    }
    if (info.thermo_rows)
    {
        write_attribute(parameters, "thermo_rows", info.thermo_rows->rows);
        write_attribute(parameters, "thermo_hash", info.thermo_rows->hash);
    }
    return parameters;
}

RunInfo read_parameters(Handle const& file)
{
    RunInfo info;
    if (exists(file, "h5md/author"))
    {
        Handle const author = open_group(file, "h5md/author");
        info.author = has_attribute(author, "name") ? read_text_attribute(author, "name").front()
                                                    : info.author;
    }
    if (!exists(file, "parameters"))
    {
        return info;
    }
    Handle const parameters = open_group(file, "parameters");
    auto const text = [&](char const* name) {
        return has_attribute(parameters, name) ? read_text_attribute(parameters, name).front()
                                               : std::string();
    };
    info.version = text("version");
    info.device = text("device");
    info.build = text("build");
    info.random_numbers = text("random_numbers");
    if (has_attribute(parameters, "seed"))
    {
        info.seed = read_attribute<std::uint64_t>(parameters, "seed").front();
    }
    info.output_dir = text("output_dir");
    if (has_attribute(parameters, "thermo_rows") && has_attribute(parameters, "thermo_hash"))
    {
        info.thermo_rows = {read_attribute<std::int64_t>(parameters, "thermo_rows").front(),
                            read_attribute<std::uint64_t>(parameters, "thermo_hash").front()};
    }
    if (exists(parameters, "input_yaml"))
    {
        info.resolved_yaml = read_text(parameters, "input_yaml");
    }
    return info;
}

std::vector<std::string> boundary_names(Box const& box)
{
    std::vector<std::string> names;
    for (int axis = 0; axis < 3; ++axis)
    {
        names.emplace_back(box.periodic(axis) ? "periodic" : "none");
    }
    return names;
}

Vec3<Boundary> boundary_of(std::vector<std::string> const& names)
{
    Vec3<Boundary> boundary;
    if (names.size() != 3)
    {
        throw IoError("the box has " + std::to_string(names.size()) + " boundaries, not 3.");
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        std::string const& name = names[static_cast<std::size_t>(axis)];
        if (name != "periodic" && name != "none" && name != "nonperiodic")
        {
            throw IoError("the box has a boundary '" + name + "'; periodic or none is expected.");
        }
        boundary[axis] = name == "periodic" ? Boundary::periodic : Boundary::open;
    }
    return boundary;
}

}  // namespace tessera::hdf5
