#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/raii.hpp"

namespace tessera::fuzz
{

/// A dataset or an attribute to be: read from a file, changed, and made anew. What HDF5 refuses to
/// make is not there afterwards; nothing throws.
class Draft
{
public:
    static Draft of_dataset(hdf5::Handle const& dataset);
    static Draft of_attribute(hdf5::Handle const& object, std::string const& name);

    /// In place of what has the name.
    void make_dataset(hdf5::Handle const& file, std::string const& name) const;
    void make_attribute(hdf5::Handle const& object, std::string const& name) const;

    /// The type at `index` in a list of them; values are kept as bytes.
    void set_type(std::size_t index);
    /// The element at `index`, modulo their number.
    void set_value(std::size_t index, double value);
    void set_every_value(double value);
    void set_byte(std::size_t index, std::uint8_t byte);
    void swap_values(std::size_t first, std::size_t second);
    void set_text(std::string const& text);

    enum class Space
    {
        simple,
        null
    };
    Space space = Space::simple;
    hdf5::Shape shape;
    hsize_t chunk_rows = 0;  ///< 0: contiguous
    bool growable = false;
    int filter = -1;  ///< in a list of filters; below 0: none
    std::optional<double> fill_value;
    bool written = true;
    std::string outside;       ///< the file that holds the raw values
    std::string virtual_file;  ///< the file whose dataset of that name stands behind this

private:
    static Draft read(hdf5::Handle type, hdf5::Handle const& space);
    std::size_t element_size() const;
    std::size_t elements() const;
    /// Values for every element of the shape, repeating those there are; nothing if they are many.
    std::vector<std::byte> filled() const;
    hdf5::Handle make_space_of_draft() const;
    hdf5::Handle make_properties(std::string const& name) const;

    hdf5::Handle type_;
    std::vector<std::byte> values_;
    std::string text_;  ///< of variable length
};

/// The bytes as a file in memory that can be changed.
hdf5::Handle open_for_editing(std::string const& image);

}  // namespace tessera::fuzz
