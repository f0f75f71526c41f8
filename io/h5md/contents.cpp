#include "io/h5md/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <string_view>

#include "engine/config/errors.hpp"
#include "io/files/printable.hpp"
#include "io/h5md/parameters.hpp"
#include "io/h5md/read.hpp"
#include "io/hdf5/attributes.hpp"

namespace tessera::hdf5
{

namespace
{

/// So far all checkpoints and trajectories of others have had far fewer; more are damage.
constexpr std::int32_t most_species = 65536;

bool starts_like_hdf5(std::filesystem::path const& path)
{
    constexpr std::string_view signature = "\211HDF\r\n\032\n";
    std::array<char, signature.size()> head{};
    std::ifstream file(path, std::ios::binary);
    file.read(head.data(), head.size());
    return file.good() && std::string_view(head.data(), head.size()) == signature;
}

Handle open_hdf5(std::filesystem::path const& path)
{
    try
    {
        return open_file(path, Access::read);
    }
    catch (IoError const& error)
    {
        std::error_code ignored;
        if (std::filesystem::is_regular_file(path, ignored) && starts_like_hdf5(path))
        {
            throw DamagedFile(error.what());
        }
        throw;
    }
}

Handle open_particles(Handle const& file)
{
    if (exists(file, "particles"))
    {
        Handle const particles = open_group(file, "particles");
        for (std::string const& name : links(particles))
        {
            if (is_group(particles, name) && exists(particles, name + "/position/value"))
            {
                return open_group(particles, name);
            }
        }
    }
    if (exists(file, "state") && exists(file, "parameters"))
    {
        throw DamagedFile(
            "it is a checkpoint that was cut short: it has lost the checksum at its end.");
    }
    throw IoError("no group under /particles has positions: this is no H5MD trajectory.");
}

std::string creator_of(Handle const& file)
{
    if (!exists(file, "h5md/creator"))
    {
        return "unknown";
    }
    Handle const group = open_group(file, "h5md/creator");
    return has_attribute(group, "name") ? read_one_text(group, "name") : std::string("unknown");
}

/// Masses by species, if every particle of a species has the same.
std::vector<double> species_masses(State const& state, std::vector<double> const& mass)
{
    std::int32_t const highest = *std::max_element(state.species.begin(), state.species.end());
    std::vector<double> of_species(static_cast<std::size_t>(highest) + 1, 0.0);
    for (std::size_t particle = 0; particle < mass.size(); ++particle)
    {
        double& known = of_species[static_cast<std::size_t>(state.species[particle])];
        if (known != 0.0 && known != mass[particle])
        {
            return {};
        }
        known = mass[particle];
    }
    return of_species;
}

}  // namespace

TrajectoryContents::TrajectoryContents(std::filesystem::path const& path)
    : file(open_hdf5(path)),
      all(open_particles(file)),
      position_(Element::find(all, "position")),
      image_(Element::find(all, "image")),
      velocity_(Element::find(all, "velocity")),
      force_(Element::find(all, "force")),
      edges_(Element::find(all, "box/edges")),
      id_(Element::find(all, "id")),
      species_(Element::find(all, "species")),
      mass_(Element::find(all, "mass"))
{
    Shape const& shape = position_->numbers().shape();
    if (shape.size() != 3 || shape[2] != 3)
    {
        throw IoError("position/value is not of shape [frame][particle][3].");
    }
    if (shape[1] == 0)
    {
        throw IoError("the file holds no particles.");
    }
    if (!edges_)
    {
        throw IoError("the file has no box/edges.");
    }
    present = static_cast<std::int64_t>(shape[0]);
    particles = static_cast<std::int64_t>(shape[1]);
    counted = counted_frames();
    committed = std::min(present, counted);
}

State TrajectoryContents::read(std::int64_t frame) const
{
    auto const count = static_cast<std::size_t>(particles);
    State state;
    state.box.edges = read_edges(*edges_, frame);
    Handle const box = open_group(all, "box");
    if (has_attribute(box, "boundary"))
    {
        state.box.boundary = boundary_of(read_text_attribute(box, "boundary", 3));
    }
    state.step = clock<std::int64_t>("step", frame, 1).front();
    state.time = clock<double>("time", frame, 1).front();
    state.position = read_vectors<double>(position_, frame, count);
    state.image = read_vectors<std::int32_t>(image_, frame, count);
    state.velocity = read_vectors<double>(velocity_, frame, count);
    state.force = read_vectors<double>(force_, frame, count);
    state.id.resize(count);
    std::iota(state.id.begin(), state.id.end(), 1);
    if (id_)
    {
        state.id = id_->read<std::int64_t>(frame, count);
    }
    read_species(state, frame);
    return state;
}

std::string TrajectoryContents::creator() const
{
    std::string version = "unknown";
    if (exists(file, "h5md/creator"))
    {
        Handle const group = open_group(file, "h5md/creator");
        version = has_attribute(group, "version") ? read_one_text(group, "version") : version;
    }
    return creator_of(file) + " " + version;
}

void TrajectoryContents::check_whole() const
{
    if (creator_of(file) != "tessera")
    {
        return;
    }
    if (counted > present)
    {
        throw IoError(fmt::format("it counts {} frames and has {}.", counted, present));
    }
    Handle const observables = open_group(file, "observables");
    check_series(all);
    check_series(observables);
}

std::int64_t TrajectoryContents::counted_frames() const
{
    std::int64_t count = present;
    if (exists(file, "parameters/committed_frames"))
    {
        count = read_number<std::int64_t>(file, "parameters/committed_frames");
    }
    else if (exists(file, "parameters") &&
             has_attribute(open_group(file, "parameters"), "committed_frames"))
    {
        count =
            read_attribute_number<std::int64_t>(open_group(file, "parameters"), "committed_frames");
    }
    if (count < 0)
    {
        throw IoError(fmt::format("parameters/committed_frames is {}.", count));
    }
    return count;
}

void TrajectoryContents::check_series(Handle const& group) const
{
    for (std::string const& name : links(group))
    {
        auto const element = is_group(group, name) && exists(group, name + "/value")
                                 ? Element::find(group, name)
                                 : std::nullopt;
        if (element && element->numbers().rows() < static_cast<hsize_t>(committed))
        {
            throw IoError(fmt::format("{} has {} frames of {}.", printable(name),
                                      element->numbers().rows(), committed));
        }
    }
}

void TrajectoryContents::read_species(State& state, std::int64_t frame) const
{
    auto const count = static_cast<std::size_t>(particles);
    state.species.assign(count, 0);
    if (species_)
    {
        state.species = species_->read<std::int32_t>(frame, count);
    }
    if (exists(file, "parameters"))
    {
        read_species_table(open_group(file, "parameters"), state);
    }
    std::int32_t const end = state.species_names.empty()
                                 ? most_species
                                 : static_cast<std::int32_t>(state.species_names.size());
    for (std::size_t particle = 0; particle < count; ++particle)
    {
        if (state.species[particle] < 0 || state.species[particle] >= end)
        {
            throw IoError(fmt::format("particle {} has species {}; 0 to {} are known.",
                                      state.id[particle], state.species[particle], end - 1));
        }
    }
    if (state.species_names.empty() && mass_)
    {
        state.species_mass = species_masses(state, mass_->read<double>(frame, count));
    }
}

}  // namespace tessera::hdf5
