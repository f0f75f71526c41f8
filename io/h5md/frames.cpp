#include "io/h5md/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/config/errors.hpp"
#include "io/h5md/parameters.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/numbers.hpp"

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

/// What a file of this program has for positions: its type, and how many particles.
std::pair<TrajectoryType, hsize_t> positions_of(Handle const& all)
{
    Numbers const position = Numbers::open(all, "position/value");
    if (position.shape().size() != 3)
    {
        throw IoError("position/value is not of shape [frame][particle][3].");
    }
    bool const narrow = position.type().size == sizeof(float);
    return {narrow ? TrajectoryType::float32 : TrajectoryType::float64, position.shape()[1]};
}

hid_t stored_real(TrajectoryType dtype)
{
    return dtype == TrajectoryType::float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

std::optional<Series> open_if_there(Handle const& all, std::string const& name, hid_t type,
                                    hsize_t particles)
{
    if (!exists(all, name))
    {
        return std::nullopt;
    }
    return Series::open(all, name + "/value", type, {particles, 3});
}

}  // namespace

CommittedFrames::CommittedFrames(Handle dataset, std::int64_t count)
    : dataset_(std::move(dataset)), count_(count)
{
}

CommittedFrames CommittedFrames::create(Handle const& file)
{
    std::int64_t const none = 0;
    write_array<std::int64_t>(file, "parameters/committed_frames", {&none, 1}, {});
    return open(file);
}

CommittedFrames CommittedFrames::open(Handle const& file)
{
    std::string const name = "parameters/committed_frames";
    Numbers const numbers = Numbers::open(file, name);
    // written in place: with any other type or shape more than a number would be
    std::int64_t const count = read_number<std::int64_t>(file, name);
    if (!numbers.shape().empty() || numbers.type().size != sizeof count || count < 0)
    {
        throw IoError(fmt::format("{} is not one count of frames.", name));
    }
    return {open_dataset(file, name), count};
}

void CommittedFrames::write(std::int64_t count)
{
    check(H5Dwrite(dataset_.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &count),
          "count the frames");
    count_ = count;
}

FrameSeries::FrameSeries(Handle const& all, TrajectoryType dtype, hsize_t particles)
    : dtype_(dtype),
      step_(Series::open(all, "position/step", H5T_STD_I64LE, {})),
      time_(Series::open(all, "position/time", H5T_IEEE_F64LE, {})),
      edges_(Series::open(all, "box/edges/value", H5T_IEEE_F64LE, {3, 3})),
      position_(Series::open(all, "position/value", stored_real(dtype), {particles, 3})),
      image_(open_if_there(all, "image", H5T_STD_I32LE, particles)),
      velocity_(open_if_there(all, "velocity", stored_real(dtype), particles)),
      force_(open_if_there(all, "force", stored_real(dtype), particles))
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
    return {all, config.dtype, state.position.size()};
}

FrameSeries FrameSeries::open(Handle const& file, TrajectoryConfig const& config,
                              std::int64_t committed)
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
    auto const [dtype, particles] = positions_of(all);
    FrameSeries frames(all, dtype, particles);
    for (Series const* series : frames.series())
    {
        series->require_rows(static_cast<hsize_t>(committed));
    }
    frames.steps_ =
        Numbers::open(all, "position/step").read<std::int64_t>(0, static_cast<hsize_t>(committed));
    require_ascending(frames.steps_);
    if (!frames.steps_.empty())
    {
        frames.last_step_ = frames.steps_.back();
    }
    return frames;
}

std::vector<Series const*> FrameSeries::series() const
{
    std::vector<Series const*> all{&step_, &time_, &edges_, &position_};
    for (std::optional<Series> const* series : {&image_, &velocity_, &force_})
    {
        if (*series)
        {
            all.push_back(&**series);
        }
    }
    return all;
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
    last_step_ = state.step;
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

void FrameSeries::read_row(hsize_t frame) const
{
    for (Series const* const one : series())
    {
        one->read_row(frame);
    }
}

std::uint64_t FrameSeries::frame_bytes() const
{
    std::uint64_t const real = dtype_ == TrajectoryType::float32 ? 4 : 8;
    std::uint64_t const bytes =
        real + (image_ ? sizeof(std::int32_t) : 0) + (velocity_ ? real : 0) + (force_ ? real : 0);
    return 3 * bytes * particles();
}

hsize_t FrameSeries::frames_up_to(std::int64_t last_step) const
{
    return static_cast<hsize_t>(std::upper_bound(steps_.begin(), steps_.end(), last_step) -
                                steps_.begin());
}

}  // namespace tessera::hdf5
