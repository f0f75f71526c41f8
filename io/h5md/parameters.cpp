#include "io/h5md/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/config/config.hpp"
#include "engine/config/errors.hpp"
#include "io/files/printable.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/numbers.hpp"
#include "io/yaml/document.hpp"

namespace tessera::hdf5
{

Handle write_parameters(Handle const& file, RunInfo const& info, State const& state)
{
    Handle parameters = create_group(file, "parameters");
    write_text(parameters, "input_yaml", info.resolved_yaml);
    write_attribute(parameters, "seed", info.seed);
    write_attribute(parameters, "run_id", info.run_id);
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
    if (info.outputs_failed)
    {
        write_attribute(parameters, "outputs_failed", std::int64_t{1});
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
        info.author = has_attribute(author, "name") ? read_one_text(author, "name") : info.author;
    }
    if (!exists(file, "parameters"))
    {
        return info;
    }
    Handle const parameters = open_group(file, "parameters");
    auto const text = [&](char const* name) {
        return has_attribute(parameters, name) ? read_one_text(parameters, name) : std::string();
    };
    info.version = text("version");
    info.device = text("device");
    info.build = text("build");
    info.random_numbers = text("random_numbers");
    info.run_id = text("run_id");
    if (has_attribute(parameters, "seed"))
    {
        info.seed = read_attribute_number<std::uint64_t>(parameters, "seed");
    }
    info.output_dir = text("output_dir");
    info.outputs_failed = has_attribute(parameters, "outputs_failed");
    if (has_attribute(parameters, "thermo_rows") && has_attribute(parameters, "thermo_hash"))
    {
        info.thermo_rows = {read_attribute_number<std::int64_t>(parameters, "thermo_rows"),
                            read_attribute_number<std::uint64_t>(parameters, "thermo_hash")};
    }
    if (exists(parameters, "input_yaml"))
    {
        info.resolved_yaml = read_text(parameters, "input_yaml", max_input_bytes);
    }
    if (exists(parameters, "changes"))
    {
        Numbers const changes = Numbers::open(parameters, "changes");
        auto const letters =
            changes.row_size() == 1
                ? changes.read<std::int32_t>(0, std::min<hsize_t>(changes.rows(), max_input_bytes))
                : std::vector<std::int32_t>();
        info.changes.assign(letters.begin(), letters.end());
    }
    return info;
}

void read_species_table(Handle const& group, State& state)
{
    if (!has_attribute(group, "species_names") || !has_attribute(group, "species_masses"))
    {
        return;
    }
    state.species_names = read_text_attribute(group, "species_names", max_species);
    state.species_mass = read_attribute<double>(group, "species_masses", max_species);
    if (state.species_names.size() != state.species_mass.size())
    {
        throw IoError(fmt::format("{} species are named and {} have a mass.",
                                  state.species_names.size(), state.species_mass.size()));
    }
    for (double const mass : state.species_mass)
    {
        if (!std::isfinite(mass) || mass <= 0.0)
        {
            throw IoError(fmt::format("a species has the mass {}; it must be above 0.", mass));
        }
    }
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
            throw IoError(fmt::format("the box has a boundary '{}'; periodic or none is expected.",
                                      printable(name)));
        }
        boundary[axis] = name == "periodic" ? Boundary::periodic : Boundary::open;
    }
    return boundary;
}

}  // namespace tessera::hdf5
