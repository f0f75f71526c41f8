#include "io/hdf5_raii.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include "engine/errors.hpp"
#include "io/hdf5_ordered.hpp"
#include "io/system_error.hpp"

namespace tessera::hdf5
{

namespace
{

struct Reasons
{
    std::string innermost, outermost;
};

herr_t collect(unsigned depth, H5E_error2_t const* error, void* data)
{
    auto& reasons = *static_cast<Reasons*>(data);
    std::string const text = error->desc != nullptr ? error->desc : "";
    if (depth == 0)
    {
        reasons.innermost = text;
    }
    reasons.outermost = text;
    return 0;
}

/// The library must neither print on its own nor flush at exit: after a failed write its exit path
/// can crash, and every handle is closed by its owner anyway.
void start_library()
{
    [[maybe_unused]] static bool const started = [] {
        H5dont_atexit();
        return true;
    }();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle make_access_properties()
{
    Handle access(check(H5Pcreate(H5P_FILE_ACCESS), "make file properties"), H5Pclose);
    // the newer formats do not open again after a killed run; see io/h5md.hpp
    check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V110),
          "set the file format");
    return access;
}

off_t size_of(Handle const& file)
{
    hsize_t size = 0;
    check(H5Fget_filesize(file.get(), &size), "size the file");
    return static_cast<off_t>(size);
}

/// A file that lost its end, by a crash of the machine or on its way here, is refused as truncated.
/// If all it lost is what comes after a checkpoint, zeros do: it is dropped unread.
/// Superblocks of versions 0 and 1 are met, which the file format asked for above makes.
void restore_length(std::filesystem::path const& path)
{
    constexpr char signature[] = "\211HDF\r\n\032\n";
    unsigned char head[64] = {};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(head), sizeof head);
    if (!file || std::memcmp(head, signature, 8) != 0 || head[8] > 1 || head[13] != 8)
    {
        return;
    }
    std::uint64_t end = 0;
    std::size_t const place = head[8] == 0 ? 40 : 44;
    for (std::size_t byte = 0; byte < 8; ++byte)
    {
        end |= static_cast<std::uint64_t>(head[place + byte]) << (8 * byte);
    }
    std::error_code error;
    std::uint64_t const size = std::filesystem::file_size(path, error);
    // more than the frames after a checkpoint is no such cut but a damaged file
    if (!error && size < end && end - size < size)
    {
        std::filesystem::resize_file(path, end, error);
    }
}

constexpr std::size_t memory_increment = std::size_t{1} << 20;

}  // namespace

void fail(std::string_view action)
{
    Reasons reasons;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &reasons);
    H5Eclear2(H5E_DEFAULT);
    std::string reason = reasons.innermost.empty() ? "unknown reason" : reasons.innermost;
    if (reasons.outermost != reasons.innermost)
    {
        reason += " (" + reasons.outermost + ")";
    }
    throw IoError(fmt::format("cannot {}: {}.{}", action, reason, remedy_for(reason)));
}

void Handle::close(std::string_view action)
{
    if (id_ >= 0)
    {
        check(close_(std::exchange(id_, H5I_INVALID_HID)), action);
    }
}

Handle create_file(std::filesystem::path const& path)
{
    start_library();
    Handle const access = make_access_properties();
    use_ordered_driver(access, Change::grows);
    hid_t const id = H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access.get());
    return {check(id, fmt::format("create {}", path.string())), H5Fclose};
}

Handle open_file(std::filesystem::path const& path, Access mode)
{
    start_library();
    Handle const access = make_access_properties();
    if (mode != Access::read)
    {
        restore_length(path);
        use_ordered_driver(access, mode == Access::grow ? Change::grows : Change::shrinks);
    }
    unsigned const flags = mode == Access::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
    hid_t const id = H5Fopen(path.c_str(), flags, access.get());
    return {check(id, fmt::format("open {}", path.string())), H5Fclose};
}

void reserve(Handle const& file, std::uint64_t bytes)
{
    int failed = 0;
    do
    {
        failed = ::fallocate(descriptor_of(file), 0, size_of(file), static_cast<off_t>(bytes));
    } while (failed != 0 && errno == EINTR);
    if (failed != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
    {
        std::string const reason = std::generic_category().message(errno);
        throw IoError(fmt::format("cannot grow the file by {} bytes: {}.{}", bytes, reason,
                                  remedy_for(reason)));
    }
}

Handle create_memory_file()
{
    start_library();
    Handle const access = make_access_properties();
    check(H5Pset_fapl_core(access.get(), memory_increment, 0), "make a file in memory");
    hid_t const id = H5Fcreate("memory", H5F_ACC_TRUNC, H5P_DEFAULT, access.get());
    return {check(id, "make a file in memory"), H5Fclose};
}

std::vector<std::byte> file_image(Handle const& file)
{
    check(H5Fflush(file.get(), H5F_SCOPE_LOCAL), "flush a file in memory");
    auto const size = check(H5Fget_file_image(file.get(), nullptr, 0), "size a file in memory");
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    check(H5Fget_file_image(file.get(), bytes.data(), bytes.size()), "copy a file in memory");
    return bytes;
}

Handle open_file_image(std::span<std::byte const> bytes)
{
    start_library();
    Handle const access = make_access_properties();
    check(H5Pset_fapl_core(access.get(), memory_increment, 0), "open a file in memory");
    // the library copies the bytes; its signature merely lacks the const
    check(H5Pset_file_image(access.get(), const_cast<std::byte*>(bytes.data()), bytes.size()),
          "open a file in memory");
    hid_t const id = H5Fopen("memory", H5F_ACC_RDONLY, access.get());
    return {check(id, "open a file in memory"), H5Fclose};
}

Handle create_group(Handle const& parent, std::string const& name)
{
    hid_t const id = H5Gcreate2(parent.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    return {check(id, "create group " + name), H5Gclose};
}

Handle open_group(Handle const& parent, std::string const& name)
{
    hid_t const id = H5Gopen2(parent.get(), name.c_str(), H5P_DEFAULT);
    return {check(id, "open group " + name), H5Gclose};
}

Handle open_dataset(Handle const& parent, std::string const& name)
{
    hid_t const id = H5Dopen2(parent.get(), name.c_str(), H5P_DEFAULT);
    return {check(id, "open dataset " + name), H5Dclose};
}

bool exists(Handle const& parent, std::string const& name)
{
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1))
    {
        std::string const part = name.substr(0, end);
        if (check(H5Lexists(parent.get(), part.c_str(), H5P_DEFAULT), "look for " + part) == 0)
        {
            return false;
        }
        if (end == std::string::npos)
        {
            return true;
        }
    }
}

bool is_group(Handle const& parent, std::string const& name)
{
    Handle const object(check(H5Oopen(parent.get(), name.c_str(), H5P_DEFAULT), "open " + name),
                        H5Oclose);
    return H5Iget_type(object.get()) == H5I_GROUP;
}

std::vector<std::string> links(Handle const& group)
{
    H5G_info_t info{};
    check(H5Gget_info(group.get(), &info), "list a group");
    std::vector<std::string> names;
    for (hsize_t index = 0; index < info.nlinks; ++index)
    {
        auto const name_of = [&](char* name, std::size_t size) {
            return H5Lget_name_by_idx(group.get(), ".", H5_INDEX_NAME, H5_ITER_INC, index, name,
                                      size, H5P_DEFAULT);
        };
        auto const length = static_cast<std::size_t>(check(name_of(nullptr, 0), "list a group"));
        std::string name(length + 1, '\0');
        check(name_of(name.data(), name.size()), "list a group");
        name.resize(length);
        names.push_back(name);
    }
    return names;
}

void hard_link(Handle const& from, std::string const& target, Handle const& parent,
               std::string const& name)
{
    check(H5Lcreate_hard(from.get(), target.c_str(), parent.get(), name.c_str(), H5P_DEFAULT,
                         H5P_DEFAULT),
          "link " + name);
}

template <>
hid_t native_type<float>()
{
    return H5T_NATIVE_FLOAT;
}
template <>
hid_t native_type<double>()
{
    return H5T_NATIVE_DOUBLE;
}
template <>
hid_t native_type<std::int32_t>()
{
    return H5T_NATIVE_INT32;
}
template <>
hid_t native_type<std::int64_t>()
{
    return H5T_NATIVE_INT64;
}
template <>
hid_t native_type<std::uint64_t>()
{
    return H5T_NATIVE_UINT64;
}

Handle make_space(Shape const& shape)
{
    hid_t const id = shape.empty()
                         ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    return {check(id, "make a data space"), H5Sclose};
}

Shape shape_of(Handle const& dataset)
{
    Handle const space(check(H5Dget_space(dataset.get()), "read a shape"), H5Sclose);
    Shape shape(
        static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space.get()), "read a shape")));
    check(H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr), "read a shape");
    return shape;
}

void write_dataset(Handle const& parent, std::string const& name, hid_t type, Shape const& shape,
                   void const* data)
{
    Handle const space = make_space(shape);
    Handle const dataset(check(H5Dcreate2(parent.get(), name.c_str(), type, space.get(),
                                          H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                               "create dataset " + name),
                         H5Dclose);
    if (std::find(shape.begin(), shape.end(), 0) == shape.end())
    {
        check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write " + name);
    }
}

void read_rows(Handle const& dataset, hid_t type, hsize_t first, hsize_t count, void* out)
{
    Shape extent = shape_of(dataset);
    if (extent.empty())
    {
        check(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "read a dataset");
        return;
    }
    if (first + count > extent.front())
    {
        throw IoError(
            fmt::format("cannot read rows {} to {} of a dataset of {}: the file is "
                        "incomplete.",
                        first, first + count, extent.front()));
    }
    if (count == 0 || std::find(extent.begin(), extent.end(), 0) != extent.end())
    {
        return;
    }
    Shape start(extent.size(), 0);
    start.front() = first;
    extent.front() = count;
    Handle const file_space(check(H5Dget_space(dataset.get()), "select rows"), H5Sclose);
    check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr,
                              extent.data(), nullptr),
          "select rows");
    Handle const memory_space = make_space(extent);
    check(H5Dread(dataset.get(), type, memory_space.get(), file_space.get(), H5P_DEFAULT, out),
          "read a dataset");
}

}  // namespace tessera::hdf5
