#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/links.hpp"

namespace tessera::hdf5
{

enum class Compression
{
    none,
    deflate  ///< shuffle and deflate 1
};

/// A dataset [row][...] that grows by rows along its first axis.
class Series
{
public:
    /// A new, empty dataset of `type` in the file, with chunks of shape `chunk` (rows first).
    static Series create(Handle const& parent, std::string const& name, hid_t type,
                         Shape const& row_shape, Shape const& chunk, Compression compression);
    /// One that create() made with this type and row shape; anything else is refused, as is what
    /// io/hdf5/numbers.hpp refuses.
    static Series open(Handle const& parent, std::string const& name, hid_t type,
                       Shape const& row_shape);

    /// Appends `rows` rows of memory type `type`; they are on disk only after a flush of the file.
    void append(hid_t type, void const* rows, hsize_t count = 1);
    template <class T>
    void append(T const& row)
    {
        append(native_type<T>(), &row);
    }
    /// Makes `rows` rows all there is, over those there were.
    void replace(hid_t type, void const* rows, hsize_t count);
    /// Drops all rows from `rows` on; has no effect if there are not so many.
    void truncate(hsize_t rows);

    /// Throws IoError if there are fewer rows.
    void require_rows(hsize_t rows) const;

    /// Reads a row and forgets it, to see that it can be read.
    void read_row(hsize_t row) const;

    std::string const& name() const
    {
        return name_;
    }
    hsize_t rows() const
    {
        return shape_.front();
    }
    Shape const& shape() const
    {
        return shape_;
    }
    Handle const& dataset() const
    {
        return dataset_;
    }

private:
    void resize(hsize_t rows);
    Handle select(hsize_t first, hsize_t count) const;
    void write(hid_t type, void const* rows, hsize_t first, hsize_t count);
    Series(Handle dataset, std::string name);

    Handle dataset_;
    std::string name_;
    Shape shape_;
};

/// Throws IoError if two of them are one dataset under two names: it would get the rows of both.
void require_distinct(std::vector<Series const*> const& all);

/// Throws IoError unless the steps of rows ascend: what is after a step is found by bisection.
void require_ascending(std::span<std::int64_t const> steps);

/// Rows a chunk of a series of single numbers.
inline constexpr hsize_t scalar_chunk_rows = 512;

/// The chunk of a series [frame][particle][3] with `value_bytes` a number: one frame, split along
/// the particles into pieces of at most 1 MiB; frames below 4 KiB share a chunk unless compressed,
/// since a chunk costs some 60 bytes of index.
Shape frame_chunk(hsize_t particles, hsize_t value_bytes, Compression compression);

}  // namespace tessera::hdf5
