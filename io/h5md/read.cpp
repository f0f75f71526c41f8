#include "io/h5md/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>

#include "engine/config/errors.hpp"
#include "io/h5md/contents.hpp"
#include "io/h5md/parameters.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/probe.hpp"

namespace tessera
{

using namespace hdf5;

class TrajectoryReader::File : public TrajectoryContents
{
public:
    using TrajectoryContents::TrajectoryContents;
};

template <class Action>
auto TrajectoryReader::named(Action const& action) const
{
    try
    {
        return action();
    }
    catch (DamagedFile const& error)
    {
        throw DamagedFile(fmt::format("{}: {}", path_.string(), error.what()));
    }
    catch (IoError const& error)
    {
        throw IoError(fmt::format("{}: {}", path_.string(), error.what()));
    }
    catch (std::bad_alloc const&)
    {
        throw IoError(fmt::format("{}: there is not enough memory to read it.", path_.string()));
    }
}

TrajectoryReader::TrajectoryReader(std::filesystem::path path, Unprobed)
    : path_(std::move(path)), file_(named([&] { return std::make_unique<File>(path_); }))
{
}

TrajectoryReader::TrajectoryReader(std::filesystem::path path) : path_(std::move(path))
{
    named([&] { probe(path_, [&] { TrajectoryReader(path_, Unprobed{}).read_through(); }); });
    file_ = named([&] { return std::make_unique<File>(path_); });
}

/// Whatever the members below will read, but of the frames the first and the last.
void TrajectoryReader::read_through() const
{
    steps();
    times();
    fields();
    observables();
    thermo_rows();
    rdf();
    creator();
    run_info();
    species_labels();
    states_boundary();
    root_groups();
    particle_groups();
    elements();
    damage();
    if (frame_count() > 0)
    {
        for (std::int64_t const frame : {std::int64_t{0}, frame_count() - 1})
        {
            read(frame);
            scalars("mass", frame);
            scalars("charge", frame);
        }
    }
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
    return named([&] { return file_->clock<std::int64_t>("step", 0, frame_count()); });
}

std::vector<double> TrajectoryReader::times() const
{
    return named([&] { return file_->clock<double>("time", 0, frame_count()); });
}

std::vector<double> TrajectoryReader::scalars(std::string const& name, std::int64_t frame) const
{
    return named([&] {
        auto const element = Element::find(file_->all, name);
        return element ? element->read<double>(frame, static_cast<std::uint64_t>(particle_count()))
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
    return named([&] {
        std::vector<std::string> groups;
        Handle const particles = open_group(file_->file, "particles");
        for (std::string const& name : links(particles))
        {
            constexpr char const* elements[] = {"/box",      "/position", "/species",
                                                "/velocity", "/mass",     "/id"};
            if (is_group(particles, name) &&
                std::any_of(std::begin(elements), std::end(elements),
                            [&](char const* element) { return exists(particles, name + element); }))
            {
                groups.push_back(name);
            }
        }
        return groups;
    });
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
                fields.push_back(name + " " + number_type_name(values));
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
        return exists(file_->file, name)
                   ? static_cast<std::int64_t>(Numbers::open(file_->file, name).rows())
                   : std::int64_t{0};
    });
}

std::pair<std::vector<double>, std::vector<double>> TrajectoryReader::rdf() const
{
    return named([&]() -> std::pair<std::vector<double>, std::vector<double>> {
        if (!exists(file_->file, "parameters/rdf/value"))
        {
            return {};
        }
        return {Numbers::open(file_->file, "parameters/rdf/r").all<double>(),
                Numbers::open(file_->file, "parameters/rdf/value").all<double>()};
    });
}

std::string TrajectoryReader::creator() const
{
    return named([&] { return file_->creator(); });
}

std::string TrajectoryReader::damage() const
{
    return named([&]() -> std::string {
        try
        {
            file_->check_whole();
            return {};
        }
        catch (IoError const& error)
        {
            return error.what();
        }
    });
}

RunInfo TrajectoryReader::run_info() const
{
    return named([&] { return read_parameters(file_->file); });
}

}  // namespace tessera
