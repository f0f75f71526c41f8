#pragma once
/// Checkpoints whose content somebody has changed, with the checksum that is then right.

#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "io/h5md/checkpoint_trailer.hpp"
#include "io/hdf5/raii.hpp"
#include "tests/support/support.hpp"

namespace tessera
{

inline std::string bytes_of(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// An open file of the HDF5 library itself.
using Edit = std::function<void(hid_t)>;

/// Changes the HDF5 part of a checkpoint and gives it the checksum that is then right.
inline void forge(std::filesystem::path const& path, Edit const& edit)
{
    std::filesystem::path const body = path.string() + ".body";
    std::string bytes = bytes_of(path);
    std::ofstream(body, std::ios::binary) << bytes.substr(0, bytes.size() - trailer_size);
    hid_t const file = H5Fopen(body.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    REQUIRE(file >= 0);
    edit(file);
    REQUIRE(H5Fclose(file) >= 0);
    bytes = bytes_of(body);
    std::filesystem::remove(body);
    Trailer const trailer = make_trailer(std::as_bytes(std::span(bytes)));
    bytes.append(reinterpret_cast<char const*>(trailer.data()), trailer.size());
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Puts an attribute of numbers in place of another of /state or /rdf.
template <class T>
Edit attribute(char const* group, char const* name, std::vector<T> values)
{
    return [=](hid_t file) {
        hid_t const object = H5Gopen2(file, group, H5P_DEFAULT);
        REQUIRE(H5Adelete(object, name) >= 0);
        hsize_t const size = values.size();
        hid_t const space = size == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr);
        hid_t const type = hdf5::native_type<T>();
        hid_t const id = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        if (size > 0)
        {
            REQUIRE(H5Awrite(id, type, values.data()) >= 0);
        }
        H5Aclose(id);
        H5Sclose(space);
        H5Gclose(object);
    };
}

}  // namespace tessera
