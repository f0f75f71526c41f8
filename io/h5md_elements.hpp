#pragma once
/// H5MD elements of any writer: series (a group with value, step, time) or plain datasets that do
/// not change. Every function throws IoError.

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/errors.hpp"
#include "io/hdf5_raii.hpp"
#include "kernels/vec3.hpp"

namespace tessera::hdf5
{

/// One frame of the element `name`, flattened: a row of a series, all of a plain dataset.
/// `expected` is how many values it must have.
template <class T>
std::vector<T> read_element(Handle const& parent, std::string const& name, std::int64_t frame,
                            std::size_t expected)
{
    bool const changes = is_group(parent, name);
    Handle const dataset = open_dataset(parent, changes ? name + "/value" : name);
    Shape const shape = shape_of(dataset);
    std::size_t const first_axis = changes ? 1 : 0;
    std::size_t size = 1;
    for (std::size_t axis = first_axis; axis < shape.size(); ++axis)
    {
        size *= shape[axis];
    }
    if (shape.size() < first_axis || size != expected)
    {
        throw IoError(
            fmt::format("{} has {} values a frame, {} are expected.", name, size, expected));
    }
    std::vector<T> values(size);
    hsize_t const count = changes || shape.empty() ? 1 : shape.front();
    read_rows(dataset, native_type<T>(), changes ? static_cast<hsize_t>(frame) : 0, count,
              values.data());
    return values;
}

/// One vector a particle; none if the file lacks `name`.
template <class T>
std::vector<Vec3<T>> read_vectors(Handle const& parent, std::string const& name, std::int64_t frame,
                                  std::size_t count)
{
    if (!exists(parent, name))
    {
        return {};
    }
    std::vector<T> const values = read_element<T>(parent, name, frame, 3 * count);
    std::vector<Vec3<T>> vectors(count);
    for (std::size_t particle = 0; particle < count; ++particle)
    {
        vectors[particle] = {values[3 * particle], values[3 * particle + 1],
                             values[3 * particle + 2]};
    }
    return vectors;
}

/// The box edges [sigma] of a frame, stored as a vector or as the rows of an orthogonal matrix.
Vec3<double> read_edges(Handle const& box, std::int64_t frame);

/// The names that an enumeration gives to numbers; none for other types.
std::vector<std::pair<std::int64_t, std::string>> number_labels(Handle const& dataset);

/// "float32", "int64", ...
std::string number_type(Handle const& dataset);

}  // namespace tessera::hdf5
