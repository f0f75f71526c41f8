#include "io/hdf5/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/config/errors.hpp"
#include "io/hdf5/numbers.hpp"

namespace tessera::hdf5
{

namespace
{

Handle make_text_type(std::size_t length)
{
    Handle type(check(H5Tcopy(H5T_C_S1), "make a text type"), H5Tclose);
    // HDF5 has no text of length 0
    check(H5Tset_size(type.get(), std::max<std::size_t>(length, 1)), "size a text type");
    check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "pad a text type");
    check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "encode a text type");
    return type;
}

Handle make_variable_text_type(hid_t file_type)
{
    Handle type(check(H5Tcopy(H5T_C_S1), "make a text type"), H5Tclose);
    check(H5Tset_size(type.get(), H5T_VARIABLE), "size a text type");
    check(H5Tset_cset(type.get(), H5Tget_cset(file_type)), "encode a text type");
    return type;
}

using Read = std::function<herr_t(hid_t type, void* out)>;

std::vector<std::string> read_fixed_texts(hid_t file_type, std::size_t count, Read const& read)
{
    std::size_t const length = H5Tget_size(file_type);
    std::string data(count * length, '\0');
    check(read(file_type, data.data()), "read a text");
    std::vector<std::string> texts;
    for (std::size_t first = 0; first < data.size(); first += length)
    {
        std::string text = data.substr(first, length);
        text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
        texts.push_back(text);
    }
    return texts;
}

std::vector<std::string> read_variable_texts(hid_t file_type, std::size_t count, Read const& read)
{
    Handle const type = make_variable_text_type(file_type);
    std::vector<char*> pointers(count, nullptr);
    check(read(type.get(), pointers.data()), "read a text");
    std::vector<std::string> texts;
    for (char* const pointer : pointers)
    {
        texts.emplace_back(pointer != nullptr ? pointer : "");
        H5free_memory(pointer);
    }
    return texts;
}

/// `count` is bounded by the caller; what the elements declare, by `available` bytes.
std::vector<std::string> read_texts(Handle const& file_type, std::string const& name,
                                    std::size_t count, std::uint64_t available, Read const& read)
{
    if (H5Tget_class(file_type.get()) != H5T_STRING || H5Tcommitted(file_type.get()) > 0)
    {
        throw IoError(fmt::format("{} does not hold a text.", name));
    }
    std::size_t const size = H5Tget_size(file_type.get());
    if (count > 0 && size > available / count)
    {
        throw IoError(fmt::format("{} declares {} texts of {} bytes, more than the file can hold.",
                                  name, count, size));
    }
    if (count == 0)
    {
        return {};
    }
    return H5Tis_variable_str(file_type.get()) > 0
               ? read_variable_texts(file_type.get(), count, read)
               : read_fixed_texts(file_type.get(), count, read);
}

}  // namespace

void write_text(Handle const& parent, std::string const& name, std::string const& text)
{
    write_dataset(parent, name, make_text_type(text.size()).get(), {}, text.c_str());
}

std::string read_text(Handle const& parent, std::string const& name, std::size_t largest)
{
    Handle const dataset = open_dataset(parent, name);
    if (!shape_of(dataset).empty())
    {
        throw IoError(fmt::format("{} is not one text.", name));
    }
    Handle const type(check(H5Dget_type(dataset.get()), "read the type of " + name), H5Tclose);
    std::uint64_t const available =
        std::min<std::uint64_t>(H5Dget_storage_size(dataset.get()), file_size_of(dataset.get()));
    std::string text =
        read_texts(type, name, 1, available, [&](hid_t memory_type, void* out) {
            return H5Dread(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
        }).front();
    if (text.size() > largest)
    {
        throw IoError(
            fmt::format("{} has {} bytes; at most {} are read.", name, text.size(), largest));
    }
    return text;
}

void write_attribute_data(Handle const& object, std::string const& name, hid_t type,
                          Shape const& shape, void const* data)
{
    Handle const space = make_space(shape);
    Handle const attribute(
        check(H5Acreate2(object.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
              "create attribute " + name),
        H5Aclose);
    check(H5Awrite(attribute.get(), type, data), "write attribute " + name);
}

void write_attribute(Handle const& object, std::string const& name, std::string const& text)
{
    write_attribute_data(object, name, make_text_type(text.size()).get(), {}, text.c_str());
}

void write_attribute(Handle const& object, std::string const& name,
                     std::vector<std::string> const& texts)
{
    std::size_t length = 1;
    for (std::string const& text : texts)
    {
        length = std::max(length, text.size());
    }
    std::string data;
    for (std::string const& text : texts)
    {
        data += text;
        data.append(length - text.size(), '\0');
    }
    write_attribute_data(object, name, make_text_type(length).get(), {texts.size()}, data.data());
}

bool has_attribute(Handle const& object, std::string const& name)
{
    return check(H5Aexists(object.get(), name.c_str()), "look for attribute " + name) > 0;
}

Handle open_attribute(Handle const& object, std::string const& name)
{
    hid_t const id = H5Aopen(object.get(), name.c_str(), H5P_DEFAULT);
    return {check(id, "open attribute " + name), H5Aclose};
}

std::size_t attribute_size(Handle const& attribute, std::string const& name, std::size_t largest)
{
    Handle const space(check(H5Aget_space(attribute.get()), "read the shape of " + name), H5Sclose);
    auto const count = check(H5Sget_simple_extent_npoints(space.get()), "read a shape");
    if (static_cast<std::uint64_t>(count) > largest)
    {
        throw IoError(fmt::format("the attribute {} has {} elements; at most {} are expected.",
                                  name, count, largest));
    }
    return static_cast<std::size_t>(count);
}

std::vector<std::string> read_text_attribute(Handle const& object, std::string const& name,
                                             std::size_t largest)
{
    Handle const attribute = open_attribute(object, name);
    Handle const type(check(H5Aget_type(attribute.get()), "read the type of " + name), H5Tclose);
    return read_texts(
        type, name, attribute_size(attribute, name, largest), file_size_of(attribute.get()),
        [&](hid_t memory_type, void* out) { return H5Aread(attribute.get(), memory_type, out); });
}

std::string read_one_text(Handle const& object, std::string const& name)
{
    auto const texts = read_text_attribute(object, name, 1);
    return texts.empty() ? std::string() : texts.front();
}

}  // namespace tessera::hdf5
