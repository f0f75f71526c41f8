#include "io/hdf5/raii.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "engine/config/errors.hpp"
#include "io/files/system_error.hpp"
#include "io/hdf5/ordered.hpp"

namespace tessera::hdf5
{

namespace
{

/// The innermost error: what went wrong first.
struct Innermost
{
    std::string text;
    bool own = false;  // the file driver of io/hdf5/ordered.hpp speaks for itself
};

herr_t collect(unsigned depth, H5E_error2_t const* error, void* data)
{
    if (depth == 0)
    {
        auto& innermost = *static_cast<Innermost*>(data);
        innermost.text = error->desc != nullptr ? error->desc : "";
        innermost.own =
            error->func_name != nullptr && std::strcmp(error->func_name, "ordered") == 0;
    }
    return 0;
}

/// The library's wording holds descriptors, flags and names of its functions: of it only the
/// system's message is shown.
std::string reason_from(Innermost const& innermost)
{
    std::string const& text = innermost.text;
    constexpr std::string_view mark = "error message = '";
    std::size_t const start = text.find(mark);
    std::size_t const end = text.find('\'', start + mark.size());
    auto const mentions = [&](char const* word) {
        return text.find(word) != std::string::npos;
    };
    if (innermost.own)
    {
        return text;
    }
    if (start != std::string::npos && end != std::string::npos)
    {
        std::string const message = text.substr(start + mark.size(), end - start - mark.size());
        return mentions("lock file") ? "unable to lock file: " + message : message;
    }
    if (mentions("truncated file"))
    {
        return "it is a truncated file, cut off before the end that it names";
    }
    if (mentions("file signature not found"))
    {
        return "it is no HDF5 file";
    }
    if (mentions("memory allocation failed"))
    {
        return "there is not enough memory for it";
    }
    return "the file is damaged, or of a kind that is not read";
}

/// The library must neither print on its own nor flush at exit: after a failed write its exit path
/// can crash, and every handle is closed by its owner anyway. Files make it neither load plugins
/// nor open other files.
void start_library()
{
    [[maybe_unused]] static bool const started = [] {
        H5dont_atexit();
        H5PLset_loading_state(0);
        H5Lunregister(H5L_TYPE_EXTERNAL);
        return true;
    }();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Handle make_access_properties()
{
    Handle access(check(H5Pcreate(H5P_FILE_ACCESS), "make file properties"), H5Pclose);
    // the newer formats do not open again after a killed run; see io/h5md/trajectory.hpp
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
/// If all it lost is what comes after a checkpoint, zeros do: it is dropped unread. This is the end
/// such a file names, if it has lost one.
/// Superblocks of versions 0 and 1 are met, which the file format asked for above makes.
std::optional<std::uint64_t> lost_end(std::filesystem::path const& path)
{
    constexpr char signature[] = "\211HDF\r\n\032\n";
    unsigned char head[64] = {};
    std::ifstream file(path, std::ios::binary);
    file.read(reinterpret_cast<char*>(head), sizeof head);
    if (!file || std::memcmp(head, signature, 8) != 0 || head[8] > 1 || head[13] != 8)
    {
        return std::nullopt;
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
    bool const lost = !error && size < end && end - size < size;
    return lost ? std::optional(end) : std::nullopt;
}

/// How a file is opened, by what it is opened for.
void choose_driver(Handle const& access, std::filesystem::path const& path, Access mode)
{
    if (mode == Access::read || mode == Access::inspect)
    {
#if H5_VERSION_GE(1, 10, 7)
        check(H5Pset_file_locking(access.get(), 0, 1), "open without a lock");
#endif
    }
    std::optional<std::uint64_t> const end = mode == Access::read ? std::nullopt : lost_end(path);
    if (end && mode != Access::inspect)
    {
        std::error_code error;
        std::filesystem::resize_file(path, *end, error);
    }
    if (mode != Access::read)
    {
        use_ordered_driver(access, mode == Access::shrink ? Change::shrinks : Change::grows,
                           end.value_or(0));
    }
}

/// Pipes, devices and directories are no HDF5 files, and some wait for ever.
void require_regular(std::filesystem::path const& path)
{
    std::error_code error;
    auto const status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    {
        throw IoError(fmt::format("cannot open {}: it is no regular file.", path.string()));
    }
}

constexpr std::size_t memory_increment = std::size_t{1} << 20;

}  // namespace

void fail(std::string_view action)
{
    Innermost innermost;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &innermost);
    H5Eclear2(H5E_DEFAULT);
    std::string const reason = reason_from(innermost);
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
    require_regular(path);
    Handle const access = make_access_properties();
    choose_driver(access, path, mode);
    bool const reads = mode == Access::read || mode == Access::inspect;
    unsigned const flags = reads ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
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

Handle creation_properties(hid_t kind)
{
    Handle properties(check(H5Pcreate(kind), "make creation properties"), H5Pclose);
    check(H5Pset_obj_track_times(properties.get(), false), "store no times");
    return properties;
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
    Handle const properties = creation_properties(H5P_DATASET_CREATE);
    Handle const dataset(check(H5Dcreate2(parent.get(), name.c_str(), type, space.get(),
                                          H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                               "create dataset " + name),
                         H5Dclose);
    if (std::find(shape.begin(), shape.end(), 0) == shape.end())
    {
        check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write " + name);
    }
}

}  // namespace tessera::hdf5
