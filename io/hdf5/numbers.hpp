#pragma once
/// Numbers of HDF5 files that anyone may have made: nothing that a file says of itself is believed
/// before it fits the file. Every function throws IoError.
///
/// A dataset is read if it is stored in this file itself (no external storage, no virtual layout),
/// as standard integers, IEEE floats or enumerations of integers (no types with names, references
/// or compounds), through deflate, shuffle and fletcher32 at most, each once, and if what its
/// extents declare is there: at most as many bytes as are stored or, with deflate, 1032 times as
/// many (what deflate can reach, zlib's technical notes). So memory and work are bounded by the
/// size of the file.

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/links.hpp"

namespace tessera::hdf5
{

/// How numbers are stored in a file.
struct NumberType
{
    bool floating = false;
    bool has_sign = true;
    std::size_t size = 0;  ///< bytes
};

/// Refuses types that are no plain numbers; `name` is what the message calls them.
NumberType number_type(hid_t type, std::string const& name);

/// The product of extents [first_axis, end), refused if it does not fit 64 bits.
std::uint64_t count_values(Shape const& shape, std::size_t first_axis, std::string const& name);

/// The size of the file that an object is in.
std::uint64_t file_size_of(hid_t object);

/// A dataset found to be sound, as above.
class Numbers
{
public:
    static Numbers open(Handle const& parent, std::string const& name);

    Shape const& shape() const
    {
        return shape_;
    }
    /// Extent of the leading axis; 1 for a scalar.
    hsize_t rows() const
    {
        return shape_.empty() ? 1 : shape_.front();
    }
    /// Values of a row; those there are for a scalar.
    std::uint64_t row_size() const
    {
        return row_size_;
    }
    NumberType type() const
    {
        return type_;
    }
    Handle const& dataset() const
    {
        return dataset_;
    }

    /// Reads rows [first, first + count), `out.size()` values. A number that T cannot hold (a
    /// fraction or a NaN for an integer, too many digits) is refused, not rounded or cut.
    template <class T>
    void read(hsize_t first, hsize_t count, std::span<T> out) const;
    template <class T>
    std::vector<T> read(hsize_t first, hsize_t count) const;
    template <class T>
    std::vector<T> all() const
    {
        return read<T>(0, rows());
    }

private:
    Numbers(Handle dataset, std::string name);
    void check_storage() const;
    void read_raw(hid_t type, hsize_t first, hsize_t count, void* out) const;

    Handle dataset_;
    std::string name_;
    NumberType type_;
    Shape shape_;
    std::uint64_t row_size_ = 1;
};

/// The one number of a dataset: a scalar, or a row of one.
template <class T>
T read_number(Handle const& parent, std::string const& name);

/// The numbers of an attribute, at most as many as `largest`.
template <class T>
std::vector<T> read_attribute(Handle const& object, std::string const& name,
                              std::size_t largest = 65536);
/// The one number of an attribute.
template <class T>
T read_attribute_number(Handle const& object, std::string const& name);

}  // namespace tessera::hdf5
