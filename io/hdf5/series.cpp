#include "io/hdf5/series.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "engine/config/errors.hpp"
#include "io/hdf5/numbers.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr hsize_t largest_chunk = hsize_t{1} << 20;  // bytes
constexpr hsize_t smallest_chunk = hsize_t{1} << 12;

Handle make_creation_properties(Shape const& chunk, Compression compression)
{
    Handle properties = creation_properties(H5P_DATASET_CREATE);
    check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()),
          "set a chunk shape");
    if (compression == Compression::deflate)
    {
        check(H5Pset_shuffle(properties.get()), "set the shuffle filter");
        check(H5Pset_deflate(properties.get(), 1), "set the deflate filter");
    }
    return properties;
}

/// Refuses what this program does not make: rows are only added where it is safe to.
void require_growing(Handle const& dataset, hid_t type, std::string const& name)
{
    Handle const space(check(H5Dget_space(dataset.get()), "read the shape of " + name), H5Sclose);
    Handle const found(check(H5Dget_type(dataset.get()), "read the type of " + name), H5Tclose);
    Handle const properties(check(H5Dget_create_plist(dataset.get()), "read the layout of " + name),
                            H5Pclose);
    std::size_t const rank = shape_of(dataset).size();
    Shape extent(rank), limit(rank), chunk(rank);
    check(H5Sget_simple_extent_dims(space.get(), extent.data(), limit.data()), "read a shape");
    bool const chunked = H5Pget_layout(properties.get()) == H5D_CHUNKED &&
                         H5Pget_chunk(properties.get(), static_cast<int>(rank), chunk.data()) >= 0;
    std::uint64_t const chunk_bytes = count_values(chunk, 0, name) * H5Tget_size(type);
    if (!chunked || limit.front() != H5S_UNLIMITED || H5Tequal(found.get(), type) <= 0 ||
        chunk_bytes > 2 * largest_chunk)
    {
        throw IoError(fmt::format(
            "{} is not stored as this program stores it (type, chunks, growing rows).", name));
    }
}

}  // namespace

Series::Series(Handle dataset, std::string name)
    : dataset_(std::move(dataset)), name_(std::move(name)), shape_(shape_of(dataset_))
{
}

Series Series::create(Handle const& parent, std::string const& name, hid_t type,
                      Shape const& row_shape, Shape const& chunk, Compression compression)
{
    Shape shape{0};
    shape.insert(shape.end(), row_shape.begin(), row_shape.end());
    Shape limit = shape;
    limit.front() = H5S_UNLIMITED;
    Handle const space(
        check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), limit.data()),
              "make a data space"),
        H5Sclose);
    Handle const properties = make_creation_properties(chunk, compression);
    hid_t const id = H5Dcreate2(parent.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                                properties.get(), H5P_DEFAULT);
    return {Handle(check(id, "create dataset " + name), H5Dclose), name};
}

Series Series::open(Handle const& parent, std::string const& name, hid_t type,
                    Shape const& row_shape)
{
    Numbers const numbers = Numbers::open(parent, name);
    Shape const& shape = numbers.shape();
    bool const fits = shape.size() == row_shape.size() + 1 &&
                      std::equal(row_shape.begin(), row_shape.end(), shape.begin() + 1);
    if (!fits)
    {
        throw IoError(fmt::format("{} is of shape [{}], not of [row{}{}].", name,
                                  fmt::join(shape, "]["), row_shape.empty() ? "" : "][",
                                  fmt::join(row_shape, "][")));
    }
    Series series(open_dataset(parent, name), name);
    require_growing(series.dataset_, type, name);
    return series;
}

void Series::resize(hsize_t rows)
{
    if (rows != shape_.front())
    {
        Shape resized = shape_;
        resized.front() = rows;
        check(H5Dset_extent(dataset_.get(), resized.data()), "resize " + name_);
        shape_ = resized;
    }
}

/// The data space of the file with these rows selected.
Handle Series::select(hsize_t first, hsize_t count) const
{
    Shape start(shape_.size(), 0);
    start.front() = first;
    Shape extent = shape_;
    extent.front() = count;
    Handle space(check(H5Dget_space(dataset_.get()), "select rows"), H5Sclose);
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(),
                              nullptr),
          "select rows");
    return space;
}

void Series::write(hid_t type, void const* rows, hsize_t first, hsize_t count)
{
    Handle const file_space = select(first, count);
    Shape extent = shape_;
    extent.front() = count;
    Handle const memory_space = make_space(extent);
    check(H5Dwrite(dataset_.get(), type, memory_space.get(), file_space.get(), H5P_DEFAULT, rows),
          "write " + name_);
}

void Series::read_row(hsize_t row) const
{
    Handle const type(check(H5Dget_type(dataset_.get()), "read a type"), H5Tclose);
    Handle const file_space = select(row, 1);
    Shape extent = shape_;
    extent.front() = 1;
    Handle const memory_space = make_space(extent);
    std::vector<std::byte> values(count_values(extent, 0, name_) * H5Tget_size(type.get()));
    check(H5Dread(dataset_.get(), type.get(), memory_space.get(), file_space.get(), H5P_DEFAULT,
                  values.data()),
          "read " + name_);
}

void Series::append(hid_t type, void const* rows, hsize_t count)
{
    hsize_t const first = shape_.front();
    resize(first + count);
    write(type, rows, first, count);
}

void Series::replace(hid_t type, void const* rows, hsize_t count)
{
    resize(count);
    write(type, rows, 0, count);
}

void Series::truncate(hsize_t rows)
{
    resize(std::min(rows, shape_.front()));
}

void Series::require_rows(hsize_t rows) const
{
    if (shape_.front() < rows)
    {
        throw IoError(fmt::format("{} has {} rows where {} are expected: the file is incomplete.",
                                  name_, shape_.front(), rows));
    }
}

void require_distinct(std::vector<Series const*> const& all)
{
    std::map<hobj_ref_t, std::string> names;
    for (Series const* const series : all)
    {
        // where the dataset lies in its file
        hobj_ref_t place = 0;
        check(H5Rcreate(&place, series->dataset().get(), ".", H5R_OBJECT, -1),
              "find " + series->name());
        auto const [other, is_new] = names.emplace(place, series->name());
        if (!is_new)
        {
            throw IoError(fmt::format("{} and {} are two names of one dataset.", other->second,
                                      series->name()));
        }
    }
}

void require_ascending(std::span<std::int64_t const> steps)
{
    auto const turn = std::adjacent_find(steps.begin(), steps.end(), std::greater_equal<>());
    if (turn != steps.end())
    {
        throw IoError(fmt::format("step {} is followed by step {}: the file is damaged.", *turn,
                                  *(turn + 1)));
    }
}

Shape frame_chunk(hsize_t particles, hsize_t value_bytes, Compression compression)
{
    hsize_t const particle_bytes = 3 * value_bytes;
    hsize_t const pieces = (particles * particle_bytes + largest_chunk - 1) / largest_chunk;
    hsize_t const rows = (particles + pieces - 1) / pieces;
    hsize_t const frames = compression == Compression::none
                               ? std::max<hsize_t>(1, smallest_chunk / (rows * particle_bytes))
                               : 1;
    return {frames, rows, 3};
}

}  // namespace tessera::hdf5
