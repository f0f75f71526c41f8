#include "io/h5md_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "engine/errors.hpp"
#include "io/h5md_parameters.hpp"
#include "io/hdf5_attributes.hpp"

namespace tessera::hdf5
{

namespace
{

static_assert(sizeof(Vec3<float>) == 3 * sizeof(float));
static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
static_assert(sizeof(Vec3<std::int32_t>) == 3 * sizeof(std::int32_t));

constexpr hsize_t tensor_chunk_rows = 64;

struct FieldName
{
    Field field;
    char const* name;
};
constexpr FieldName field_names[] = {
    {Field::image, "image"}, {Field::velocity, "velocity"}, {Field::force, "force"}};

bool asks_for(TrajectoryConfig const& config, Field field)
{
    return std::find(config.fields.begin(), config.fields.end(), field) != config.fields.end();
}

void link_clock(Handle const& all, Handle const& group)
{
    hard_link(all, "position/step", group, "step");
    hard_link(all, "position/time", group, "time");
}

void create_static_data(Handle const& all, State const& state)
{
    hsize_t const count = state.position.size();
    std::vector<double> mass;
    mass.reserve(count);
    for (std::int32_t const species : state.species)
    {
        mass.push_back(state.species_mass.at(static_cast<std::size_t>(species)));
    }
    write_array<std::int32_t>(all, "species", state.species, {count});
    write_array<double>(all, "mass", mass, {count});
    write_array<std::int64_t>(all, "id", state.id, {count});
}

void create_box(Handle const& all, Box const& box)
{
    Handle const group = create_group(all, "box");
    write_attribute(group, "dimension", std::int32_t{3});
    write_attribute(group, "boundary", boundary_names(box));
    Handle const edges = create_group(group, "edges");
    Series::create(edges, "value", H5T_IEEE_F64LE, {3, 3}, {tensor_chunk_rows, 3, 3},
                   Compression::none);
    link_clock(all, edges);
}

void create_fields(Handle const& all, TrajectoryConfig const& config, hsize_t count)
{
    Compression const compression = config.compress ? Compression::deflate : Compression::none;
    bool const wide = config.dtype == TrajectoryType::float64;
    hid_t const real = wide ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
    auto const create = [&](Handle const& group, hid_t type) {
        Series::create(group, "value", type, {count, 3},
                       frame_chunk(count, H5Tget_size(type), compression), compression);
    };
    Handle const position = create_group(all, "position");
    create(position, real);
    Series::create(position, "step", H5T_STD_I64LE, {}, {scalar_chunk_rows}, Compression::none);
    Series::create(position, "time", H5T_IEEE_F64LE, {}, {scalar_chunk_rows}, Compression::none);
    for (auto const& [field, name] : field_names)
    {
        if (asks_for(config, field))
        {
            Handle const group = create_group(all, name);
            create(group, field == Field::image ? H5T_STD_I32LE : real);
            link_clock(all, group);
        }
    }
}

TrajectoryType dtype_of(Handle const& all)
{
    Handle const dataset = open_dataset(all, "position/value");
    Handle const type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
    return H5Tget_size(type.get()) == sizeof(float) ? TrajectoryType::float32
                                                    : TrajectoryType::float64;
}

std::optional<Series> open_if_there(Handle const& all, std::string const& name)
{
    if (!exists(all, name))
    {
        return std::nullopt;
    }
    return Series::open(all, name + "/value");
}

}  // namespace

FrameSeries::FrameSeries(Handle const& all, TrajectoryType dtype)
    : dtype_(dtype),
      step_(Series::open(all, "position/step")),
      time_(Series::open(all, "position/time")),
      edges_(Series::open(all, "box/edges/value")),
      position_(Series::open(all, "position/value")),
      image_(open_if_there(all, "image")),
      velocity_(open_if_there(all, "velocity")),
      force_(open_if_there(all, "force"))
{
}

FrameSeries FrameSeries::create(Handle const& file, TrajectoryConfig const& config,
                                State const& state)
{
    Handle const particles = create_group(file, "particles");
    Handle const all = create_group(particles, "all");
    create_fields(all, config, state.position.size());
    create_box(all, state.box);
    create_static_data(all, state);
    return {all, config.dtype};
}

FrameSeries FrameSeries::open(Handle const& file, TrajectoryConfig const& config)
{
    Handle const all = open_group(file, "particles/all");
    for (auto const& [field, name] : field_names)
    {
        if (exists(all, name) != asks_for(config, field))
        {
            throw IoError(
                fmt::format("cannot continue: the file {} '{}', the input {}. Go on with "
                            "the fields the file was started with, or name a new file.",
                            exists(all, name) ? "holds" : "lacks", name,
                            asks_for(config, field) ? "asks for it" : "does not"));
        }
    }
    return {all, dtype_of(all)};
}

template <class T>
void FrameSeries::append_positions(State const& state)
{
    std::vector<Vec3<T>>* staging = nullptr;
    if constexpr (std::is_same_v<T, float>)
    {
        staging = &floats_;
    }
    else
    {
        staging = &doubles_;
    }
    staging->resize(state.position.size());
    images_ = state.image;
    for (int axis = 0; axis < 3; ++axis)
    {
        double const edge = state.box.edges[axis];
        bool const periodic = state.box.periodic(axis);
        for (std::size_t particle = 0; particle < staging->size(); ++particle)
        {
            T rounded = static_cast<T>(state.position[particle][axis]);
            if (periodic && static_cast<double>(rounded) >= edge)
            {
                rounded = 0;
                images_[particle][axis] += 1;
            }
            (*staging)[particle][axis] = rounded;
        }
    }
    position_.append(native_type<T>(), staging->data());
}

void FrameSeries::append_vectors(Series& series, std::vector<Vec3<double>> const& vectors)
{
    if (dtype_ == TrajectoryType::float64)
    {
        series.append(native_type<double>(), vectors.data());
        return;
    }
    floats_.resize(vectors.size());
    std::transform(vectors.begin(), vectors.end(), floats_.begin(), [](Vec3<double> const& v) {
        return Vec3<float>{static_cast<float>(v.x), static_cast<float>(v.y),
                           static_cast<float>(v.z)};
    });
    series.append(native_type<float>(), floats_.data());
}

void FrameSeries::append(State const& state)
{
    if (state.position.size() != particles())
    {
        throw IoError(fmt::format("cannot append a frame of {} particles: the file holds {}.",
                                  state.position.size(), particles()));
    }
    if (dtype_ == TrajectoryType::float32)
    {
        append_positions<float>(state);
    }
    else
    {
        append_positions<double>(state);
    }
    if (image_)
    {
        image_->append(native_type<std::int32_t>(), images_.data());
    }
    if (velocity_)
    {
        append_vectors(*velocity_, state.velocity);
    }
    if (force_)
    {
        append_vectors(*force_, state.force);
    }
    Vec3<double> const edges = state.box.edges;
    double const rows[3][3] = {{edges.x, 0.0, 0.0}, {0.0, edges.y, 0.0}, {0.0, 0.0, edges.z}};
    edges_.append(native_type<double>(), rows);
    time_.append(state.time);
    step_.append(state.step);
}

void FrameSeries::truncate(hsize_t frames)
{
    for (Series* series : {&step_, &time_, &edges_, &position_})
    {
        series->truncate(frames);
    }
    for (std::optional<Series>* series : {&image_, &velocity_, &force_})
    {
        if (*series)
        {
            (*series)->truncate(frames);
        }
    }
}

std::uint64_t FrameSeries::frame_bytes() const
{
    std::uint64_t const real = dtype_ == TrajectoryType::float32 ? 4 : 8;
    std::uint64_t const bytes =
        real + (image_ ? sizeof(std::int32_t) : 0) + (velocity_ ? real : 0) + (force_ ? real : 0);
    return 3 * bytes * particles();
}

hsize_t FrameSeries::frames_up_to(std::int64_t last_step, hsize_t frames) const
{
    std::vector<std::int64_t> steps(frames);
    read_rows(step_.dataset(), native_type<std::int64_t>(), 0, frames, steps.data());
    return static_cast<hsize_t>(std::upper_bound(steps.begin(), steps.end(), last_step) -
                                steps.begin());
}

std::optional<std::int64_t> FrameSeries::last_step() const
{
    if (step_.rows() == 0)
    {
        return std::nullopt;
    }
    std::int64_t step = 0;
    read_rows(step_.dataset(), native_type<std::int64_t>(), step_.rows() - 1, 1, &step);
    return step;
}

}  // namespace tessera::hdf5
