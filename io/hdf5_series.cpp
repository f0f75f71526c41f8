#include "io/hdf5_series.hpp"

#include <algorithm>
#include <array>

namespace tessera::hdf5
{

namespace
{

constexpr hsize_t largest_chunk = hsize_t{1} << 20;  // bytes
constexpr hsize_t smallest_chunk = hsize_t{1} << 12;

Handle make_creation_properties(Shape const& chunk, Compression compression)
{
    Handle properties(check(H5Pcreate(H5P_DATASET_CREATE), "make dataset properties"), H5Pclose);
    check(H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()),
          "set a chunk shape");
    if (compression == Compression::deflate)
    {
        check(H5Pset_shuffle(properties.get()), "set the shuffle filter");
        check(H5Pset_deflate(properties.get(), 1), "set the deflate filter");
    }
    return properties;
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

Series Series::open(Handle const& parent, std::string const& name)
{
    return {open_dataset(parent, name), name};
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

void Series::write(hid_t type, void const* rows, hsize_t first, hsize_t count)
{
    Shape start(shape_.size(), 0);
    start.front() = first;
    Shape extent = shape_;
    extent.front() = count;
    Handle const file_space(check(H5Dget_space(dataset_.get()), "select rows"), H5Sclose);
    check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr,
                              extent.data(), nullptr),
          "select rows");
    Handle const memory_space = make_space(extent);
    check(H5Dwrite(dataset_.get(), type, memory_space.get(), file_space.get(), H5P_DEFAULT, rows),
          "write " + name_);
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
