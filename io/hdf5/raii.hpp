#pragma once
/// Owning handles and checked calls over the HDF5 C library; included by sources of io/ alone.
///
/// Every function throws IoError with a reason and, for the common causes (disk full, no
/// permission, file locked), what to do. What anyone may have made is read through
/// io/hdf5/numbers.hpp.

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::hdf5
{

/// Owns one HDF5 identifier of any kind; move-only.
class Handle
{
public:
    using Close = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Close closer) : id_(id), close_(closer)
    {
    }
    Handle(Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_)
    {
    }
    Handle& operator=(Handle&& other) noexcept
    {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle()
    {
        if (id_ >= 0)
        {
            close_(id_);
        }
    }

    hid_t get() const
    {
        return id_;
    }
    /// Closes now and reports what a destructor has to swallow: for files, data not written yet.
    void close(std::string_view action);

private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

/// Throws IoError: "cannot ACTION: REASON. REMEDY"; REASON is the system's where the library tells
/// it, else ours: the library's own wording says nothing to a user.
[[noreturn]] void fail(std::string_view action);

/// Returns `result`, or fails if it is negative.
template <class Result>
Result check(Result result, std::string_view action)
{
    if (result < 0)
    {
        fail(action);
    }
    return result;
}

enum class Access
{
    read,     ///< without a lock: a file is valid at every instant, also while a run writes it
    inspect,  ///< like read, but a lost end reads as zeros, as grow and shrink restore it
    grow,     ///< read and write, rows are added
    shrink    ///< read and write, rows are dropped: see io/hdf5/ordered.hpp
};

/// A new file in the format that any HDF5 since 1.8 reads; fails if the path exists. What is
/// written to it, or to one opened to grow or shrink, counts with commit() of io/hdf5/ordered.hpp.
Handle create_file(std::filesystem::path const& path);
Handle open_file(std::filesystem::path const& path, Access access);

/// Takes `bytes` of disk beyond the end of the file, so that what is written next cannot find the
/// disk full: HDF5 goes on writing after a failed write and leaves a file that does not open.
/// Has no effect on file systems that cannot allocate ahead. Closing gives back what was not used.
void reserve(Handle const& file, std::uint64_t bytes);

/// A file in memory alone, and the bytes it would have on disk.
Handle create_memory_file();
std::vector<std::byte> file_image(Handle const& file);
/// Opens bytes as a file, read-only; `bytes` must outlive the handle.
Handle open_file_image(std::span<std::byte const> bytes);

/// Properties for H5P_GROUP_CREATE or H5P_DATASET_CREATE, without the time of day: equal runs make
/// equal bytes.
Handle creation_properties(hid_t kind);

/// The memory type of a number.
template <class T>
hid_t native_type();
template <>
hid_t native_type<float>();
template <>
hid_t native_type<double>();
template <>
hid_t native_type<std::int32_t>();
template <>
hid_t native_type<std::int64_t>();
template <>
hid_t native_type<std::uint64_t>();

using Shape = std::vector<hsize_t>;
/// A data space of that shape; a scalar if it is empty.
Handle make_space(Shape const& shape);
Shape shape_of(Handle const& dataset);

/// A dataset of fixed shape, created and filled; `type` is that of file and memory.
void write_dataset(Handle const& parent, std::string const& name, hid_t type, Shape const& shape,
                   void const* data);
template <class T>
void write_array(Handle const& parent, std::string const& name, std::span<T const> values,
                 Shape const& shape)
{
    write_dataset(parent, name, native_type<T>(), shape, values.data());
}

}  // namespace tessera::hdf5
