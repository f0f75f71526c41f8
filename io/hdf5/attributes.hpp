#pragma once
/// Attributes and texts of HDF5 files; texts are written with fixed length in UTF-8, and read in
/// fixed or variable length, as many and as long as the caller allows and the file can hold.
/// Numbers in attributes are read by io/hdf5/numbers.hpp. Every function throws IoError.

#include <string>
#include <vector>

#include "io/hdf5/links.hpp"

namespace tessera::hdf5
{

/// A text as a scalar dataset: attributes end at 64 KiB, an input file does not.
void write_text(Handle const& parent, std::string const& name, std::string const& text);
std::string read_text(Handle const& parent, std::string const& name, std::size_t largest);

/// Attributes: a number, numbers in a row, a text, texts in a row (fixed length, UTF-8).
void write_attribute_data(Handle const& object, std::string const& name, hid_t type,
                          Shape const& shape, void const* data);
template <class T>
void write_attribute(Handle const& object, std::string const& name, T value)
{
    write_attribute_data(object, name, native_type<T>(), {}, &value);
}
template <class T>
void write_attribute(Handle const& object, std::string const& name, std::vector<T> const& values)
{
    write_attribute_data(object, name, native_type<T>(), {values.size()}, values.data());
}
void write_attribute(Handle const& object, std::string const& name, std::string const& text);
void write_attribute(Handle const& object, std::string const& name,
                     std::vector<std::string> const& texts);

bool has_attribute(Handle const& object, std::string const& name);
Handle open_attribute(Handle const& object, std::string const& name);
/// How many elements it has, refused above `largest`.
std::size_t attribute_size(Handle const& attribute, std::string const& name, std::size_t largest);
/// Its texts, refused above `largest`.
std::vector<std::string> read_text_attribute(Handle const& object, std::string const& name,
                                             std::size_t largest);
/// Its one text; empty if it has none.
std::string read_one_text(Handle const& object, std::string const& name);

}  // namespace tessera::hdf5
