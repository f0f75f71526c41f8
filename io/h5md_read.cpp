#include "io/h5md_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/errors.hpp"
#include "io/h5md_elements.hpp"
#include "io/h5md_parameters.hpp"
#include "io/hdf5_attributes.hpp"

namespace tessera
{

using namespace hdf5;

namespace
{

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
    throw IoError(
        "no group under /particles has positions: this is no H5MD trajectory, nor a "
        "whole checkpoint (one that was cut short has lost the checksum at its end).");
}

std::int64_t rows_of(Handle const& parent, std::string const& name)
{
    Shape const shape = shape_of(open_dataset(parent, name));
    return shape.empty() ? 1 : static_cast<std::int64_t>(shape.front());
}

/// Masses by species, if every particle of a species has the same.
std::vector<double> species_masses(State const& state, std::vector<double> const& mass)
{
    std::int32_t const highest = *std::max_element(state.species.begin(), state.species.end());
    std::int32_t const lowest = *std::min_element(state.species.begin(), state.species.end());
    if (lowest < 0 || static_cast<std::size_t>(highest) > mass.size())
    {
        return {};
    }
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

class TrajectoryReader::File
{
public:
    explicit File(std::filesystem::path const& path)
        : file(open_file(path, Access::read)), all(open_particles(file))
    {
        Shape const shape = shape_of(open_dataset(all, "position/value"));
        if (shape.size() != 3 || shape[2] != 3)
        {
            throw IoError("position/value is not of shape [frame][particle][3].");
        }
        present = static_cast<std::int64_t>(shape[0]);
        particles = static_cast<std::int64_t>(shape[1]);
        committed = std::min(present, counted_frames());
    }

    State read(std::int64_t frame) const
    {
        auto const count = static_cast<std::size_t>(particles);
        State state;
        read_box(state, frame);
        state.step = clock<std::int64_t>("step", frame, 1).front();
        state.time = clock<double>("time", frame, 1).front();
        state.position = read_vectors<double>(all, "position", frame, count);
        state.image = read_vectors<std::int32_t>(all, "image", frame, count);
        state.velocity = read_vectors<double>(all, "velocity", frame, count);
        state.force = read_vectors<double>(all, "force", frame, count);
        state.id.resize(count);
        std::iota(state.id.begin(), state.id.end(), 1);
        if (exists(all, "id"))
        {
            state.id = read_element<std::int64_t>(all, "id", frame, count);
        }
        read_species(state, frame);
        return state;
    }

    std::vector<std::int64_t> steps() const
    {
        return clock<std::int64_t>("step", 0, committed);
    }
    std::vector<double> times() const
    {
        return clock<double>("time", 0, committed);
    }

    Handle file, all;
    std::int64_t present = 0, particles = 0, committed = 0;

private:
    std::int64_t counted_frames() const
    {
        if (!exists(file, "parameters"))
        {
            return present;
        }
        Handle const parameters = open_group(file, "parameters");
        if (exists(parameters, "committed_frames"))
        {
            return read_array<std::int64_t>(parameters, "committed_frames").at(0);
        }
        if (has_attribute(parameters, "committed_frames"))
        {
            return read_attribute<std::int64_t>(parameters, "committed_frames").at(0);
        }
        return present;
    }

    /// Explicit series, or H5MD's fixed-interval form: an increment with an optional offset.
    template <class T>
    std::vector<T> clock(std::string const& name, std::int64_t first, std::int64_t count) const
    {
        std::vector<T> values(static_cast<std::size_t>(count), T{0});
        if (!exists(all, "position/" + name))
        {
            return values;
        }
        Handle const dataset = open_dataset(all, "position/" + name);
        if (!shape_of(dataset).empty())
        {
            read_rows(dataset, native_type<T>(), static_cast<hsize_t>(first), values.size(),
                      values.data());
            return values;
        }
        T increment{};
        read_rows(dataset, native_type<T>(), 0, 1, &increment);
        T const offset = H5Aexists(dataset.get(), "offset") > 0
                             ? read_attribute<T>(dataset, "offset").at(0)
                             : T{0};
        for (std::size_t frame = 0; frame < values.size(); ++frame)
        {
            values[frame] =
                offset + static_cast<T>(first + static_cast<std::int64_t>(frame)) * increment;
        }
        return values;
    }

    void read_box(State& state, std::int64_t frame) const
    {
        if (!exists(all, "box/edges"))
        {
            throw IoError("the file has no box/edges.");
        }
        Handle const box = open_group(all, "box");
        state.box.edges = read_edges(box, frame);
        if (has_attribute(box, "boundary"))
        {
            state.box.boundary = boundary_of(read_text_attribute(box, "boundary"));
        }
    }

    void read_species(State& state, std::int64_t frame) const
    {
        auto const count = static_cast<std::size_t>(particles);
        state.species.assign(count, 0);
        if (exists(all, "species"))
        {
            state.species = read_element<std::int32_t>(all, "species", frame, count);
        }
        if (exists(file, "parameters"))
        {
            Handle const parameters = open_group(file, "parameters");
            if (has_attribute(parameters, "species_names"))
            {
                state.species_names = read_text_attribute(parameters, "species_names");
                state.species_mass = read_attribute<double>(parameters, "species_masses");
                return;
            }
        }
        if (exists(all, "mass") && count > 0)
        {
            state.species_mass =
                species_masses(state, read_element<double>(all, "mass", frame, count));
        }
    }
};

template <class Action>
auto TrajectoryReader::named(Action const& action) const
{
    try
    {
        return action();
    }
    catch (IoError const& error)
    {
        throw IoError(fmt::format("{}: {}", path_.string(), error.what()));
    }
}

TrajectoryReader::TrajectoryReader(std::filesystem::path path)
    : path_(std::move(path)), file_(named([&] { return std::make_unique<File>(path_); }))
{
}

TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;
TrajectoryReader& TrajectoryReader::operator=(TrajectoryReader&&) noexcept = default;
TrajectoryReader::~TrajectoryReader() = default;

std::int64_t TrajectoryReader::frame_count() const
{
    return file_->committed;
}

std::int64_t TrajectoryReader::present_frames() const
{
    return file_->present;
}

std::int64_t TrajectoryReader::particle_count() const
{
    return file_->particles;
}

State TrajectoryReader::read(std::int64_t frame) const
{
    return named([&] {
        if (frame < 0 || frame >= frame_count())
        {
            throw IoError(fmt::format("there is no frame {}: the file holds {}, counted from 0.",
                                      frame, frame_count()));
        }
        return file_->read(frame);
    });
}

std::vector<std::int64_t> TrajectoryReader::steps() const
{
    return named([&] { return file_->steps(); });
}

std::vector<double> TrajectoryReader::times() const
{
    return named([&] { return file_->times(); });
}

std::vector<double> TrajectoryReader::scalars(std::string const& name, std::int64_t frame) const
{
    return named([&] {
        auto const count = static_cast<std::size_t>(particle_count());
        return exists(file_->all, name) ? read_element<double>(file_->all, name, frame, count)
                                        : std::vector<double>();
    });
}

std::vector<std::pair<std::int64_t, std::string>> TrajectoryReader::species_labels() const
{
    return named([&]() -> std::vector<std::pair<std::int64_t, std::string>> {
        if (!exists(file_->all, "species"))
        {
            return {};
        }
        bool const changes = is_group(file_->all, "species");
        return number_labels(open_dataset(file_->all, changes ? "species/value" : "species"));
    });
}

bool TrajectoryReader::states_boundary() const
{
    return named([&] { return has_attribute(open_group(file_->all, "box"), "boundary"); });
}

std::vector<std::string> TrajectoryReader::root_groups() const
{
    return named([&] { return links(file_->file); });
}

std::vector<std::string> TrajectoryReader::particle_groups() const
{
    return named([&] { return links(open_group(file_->file, "particles")); });
}

std::vector<std::string> TrajectoryReader::elements() const
{
    return named([&] { return links(file_->all); });
}

std::vector<std::string> TrajectoryReader::fields() const
{
    return named([&] {
        std::vector<std::string> fields;
        for (std::string const& name : links(file_->all))
        {
            if (is_group(file_->all, name) && exists(file_->all, name + "/value"))
            {
                Handle const values = open_dataset(file_->all, name + "/value");
                fields.push_back(name + " " + number_type(values));
            }
        }
        return fields;
    });
}

std::vector<std::string> TrajectoryReader::observables() const
{
    return named([&] {
        return exists(file_->file, "observables") ? links(open_group(file_->file, "observables"))
                                                  : std::vector<std::string>();
    });
}

std::int64_t TrajectoryReader::thermo_rows() const
{
    return named([&] {
        std::string const name = "parameters/thermo/step";
        return exists(file_->file, name) ? rows_of(file_->file, name) : std::int64_t{0};
    });
}

std::pair<std::vector<double>, std::vector<double>> TrajectoryReader::rdf() const
{
    return named([&]() -> std::pair<std::vector<double>, std::vector<double>> {
        if (!exists(file_->file, "parameters/rdf/value"))
        {
            return {};
        }
        return {read_array<double>(file_->file, "parameters/rdf/r"),
                read_array<double>(file_->file, "parameters/rdf/value")};
    });
}

std::string TrajectoryReader::creator() const
{
    return named([&]() -> std::string {
        if (!exists(file_->file, "h5md/creator"))
        {
            return "unknown";
        }
        Handle const group = open_group(file_->file, "h5md/creator");
        auto const text = [&](char const* name) {
            return has_attribute(group, name) ? read_text_attribute(group, name).at(0)
                                              : std::string("unknown");
        };
        return text("name") + " " + text("version");
    });
}

RunInfo TrajectoryReader::run_info() const
{
    return named([&] { return read_parameters(file_->file); });
}

}  // namespace tessera
