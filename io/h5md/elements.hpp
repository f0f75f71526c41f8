#pragma once
/// H5MD elements of any writer: series (a group with value, step, time) or plain datasets that do
/// not change. Every function throws IoError.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/hdf5/numbers.hpp"
#include "kernels/arithmetic/box.hpp"

namespace tessera::hdf5
{

class Element
{
public:
    /// Empty if there is none of that name.
    static std::optional<Element> find(Handle const& parent, std::string const& name);

    /// One frame, flattened: a row of a series, all of a plain dataset. `expected` is how many
    /// values it must have.
    template <class T>
    std::vector<T> read(std::int64_t frame, std::uint64_t expected) const;

    /// Axes of one frame's values.
    std::size_t rank() const
    {
        return numbers_.shape().size() - (changes_ ? 1 : 0);
    }
    bool changes() const
    {
        return changes_;
    }
    Numbers const& numbers() const
    {
        return numbers_;
    }

private:
    Element(Numbers numbers, std::string name, bool changes);

    Numbers numbers_;
    std::string name_;
    bool changes_;
};

/// One vector a particle; none if the file has no such element.
template <class T>
std::vector<Vec3<T>> read_vectors(std::optional<Element> const& element, std::int64_t frame,
                                  std::size_t count);

/// The box edges [sigma] of a frame, stored as a vector or as the rows of an orthogonal matrix:
/// finite and above 0.
Vec3<double> read_edges(Element const& edges, std::int64_t frame);

/// Steps or times of frames [first, first + count) of an element's clock `name`: a series, or
/// H5MD's fixed-interval form, an increment with an optional offset. Zeros if there is none.
template <class T>
std::vector<T> read_clock(Handle const& element, std::string const& name, std::int64_t first,
                          std::int64_t count);

/// The names that an enumeration gives to numbers; none for other types.
std::vector<std::pair<std::int64_t, std::string>> number_labels(Handle const& dataset);

/// "float32", "int64", ...; "other" if it does not hold plain numbers.
std::string number_type_name(Handle const& dataset);

}  // namespace tessera::hdf5
