#include "io/hdf5/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/config/errors.hpp"
#include "io/hdf5/attributes.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr std::uint64_t largest_expansion = 1032;  // of deflate

bool is_standard_float(hid_t type)
{
    hid_t const known[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    return std::any_of(std::begin(known), std::end(known),
                       [&](hid_t one) { return H5Tequal(type, one) > 0; });
}

bool is_standard_integer(hid_t type)
{
    std::size_t const size = H5Tget_size(type);
    H5T_order_t const order = H5Tget_order(type);
    return (size == 1 || size == 2 || size == 4 || size == 8) &&
           H5Tget_precision(type) == 8 * size && H5Tget_offset(type) == 0 &&
           (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
}

/// Refuses filters that need not be there or could multiply what is stored; whether deflate is one.
bool uses_deflate(hid_t properties, std::string const& name)
{
    int const count = check(H5Pget_nfilters(properties), "read the filters of " + name);
    std::vector<H5Z_filter_t> found;
    for (int filter = 0; filter < count; ++filter)
    {
        std::size_t no_values = 0;
        unsigned flags = 0;
        H5Z_filter_t const id =
            check(H5Pget_filter2(properties, static_cast<unsigned>(filter), &flags, &no_values,
                                 nullptr, 0, nullptr, nullptr),
                  "read the filters of " + name);
        bool const known =
            id == H5Z_FILTER_DEFLATE || id == H5Z_FILTER_SHUFFLE || id == H5Z_FILTER_FLETCHER32;
        if (!known || std::find(found.begin(), found.end(), id) != found.end())
        {
            throw IoError(
                fmt::format("{} is stored through filter {}; deflate, shuffle and fletcher32 are "
                            "read, each once. Repack the file with h5repack.",
                            name, id));
        }
        found.push_back(id);
    }
    return std::find(found.begin(), found.end(), H5Z_FILTER_DEFLATE) != found.end();
}

std::uint64_t times(std::uint64_t a, std::uint64_t b, std::string const& name)
{
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product))
    {
        throw IoError(fmt::format("{} declares more values than 64 bits count.", name));
    }
    return product;
}

std::uint64_t chunk_bytes(hid_t properties, std::size_t rank, std::uint64_t value_bytes,
                          std::string const& name)
{
    Shape chunk(rank);
    check(H5Pget_chunk(properties, static_cast<int>(rank), chunk.data()),
          "read the chunks of " + name);
    return times(count_values(chunk, 0, name), value_bytes, name);
}

template <class T>
bool holds_all_of(NumberType type)
{
    if constexpr (std::floating_point<T>)
    {
        return true;
    }
    else
    {
        bool const wider = sizeof(T) > type.size && (std::signed_integral<T> || !type.has_sign);
        bool const same = sizeof(T) == type.size && std::signed_integral<T> == type.has_sign;
        return !type.floating && (wider || same);
    }
}

template <class T, class Wide>
void narrow(std::vector<Wide> const& wide, std::string const& name, std::span<T> out)
{
    for (std::size_t place = 0; place < wide.size(); ++place)
    {
        bool fits = false;
        if constexpr (std::floating_point<Wide>)
        {
            // 2^63 and above are refused for every integer: below, the comparisons are exact
            fits = std::trunc(wide[place]) == wide[place] && std::abs(wide[place]) < 0x1p63 &&
                   std::in_range<T>(static_cast<std::int64_t>(wide[place]));
        }
        else
        {
            fits = std::in_range<T>(wide[place]);
        }
        if (!fits)
        {
            throw IoError(fmt::format("{} holds {}, which is no whole number of {} bits.", name,
                                      wide[place], 8 * sizeof(T)));
        }
        out[place] = static_cast<T>(wide[place]);
    }
}

/// Reads with `raw(memory type, where to)` whatever the file has there, without loss.
template <class T, class Raw>
void read_checked(NumberType type, std::string const& name, Raw const& raw, std::span<T> out)
{
    auto const through = [&]<class Wide>(Wide) {
        std::vector<Wide> wide(out.size());
        raw(native_type<Wide>(), wide.data());
        if constexpr (std::integral<T>)
        {
            narrow<T, Wide>(wide, name, out);
        }
    };
    if (holds_all_of<T>(type))
    {
        raw(native_type<T>(), out.data());
    }
    else if (type.floating)
    {
        through(double{});
    }
    else if (type.has_sign)
    {
        through(std::int64_t{});
    }
    else
    {
        through(std::uint64_t{});
    }
}

}  // namespace

NumberType number_type(hid_t type, std::string const& name)
{
    Handle const base(H5Tget_class(type) == H5T_ENUM ? H5Tget_super(type) : H5Tcopy(type),
                      H5Tclose);
    check(base.get(), "read the type of " + name);
    H5T_class_t const kind = H5Tget_class(base.get());
    bool const floating = kind == H5T_FLOAT && is_standard_float(base.get());
    bool const integer = kind == H5T_INTEGER && is_standard_integer(base.get());
    if (H5Tcommitted(type) > 0 || (!floating && !integer))
    {
        throw IoError(fmt::format(
            "{} does not hold plain numbers: integers of 8 to 64 bits and floats of 32 or 64 are "
            "read.",
            name));
    }
    return {floating, floating || H5Tget_sign(base.get()) == H5T_SGN_2, H5Tget_size(base.get())};
}

std::uint64_t count_values(Shape const& shape, std::size_t first_axis, std::string const& name)
{
    std::uint64_t count = 1;
    for (std::size_t axis = first_axis; axis < shape.size(); ++axis)
    {
        count = times(count, shape[axis], name);
    }
    return count;
}

std::uint64_t file_size_of(hid_t object)
{
    Handle const file(check(H5Iget_file_id(object), "find the file"), H5Fclose);
    hsize_t size = 0;
    check(H5Fget_filesize(file.get(), &size), "size the file");
    return size;
}

Numbers::Numbers(Handle dataset, std::string name)
    : dataset_(std::move(dataset)), name_(std::move(name)), shape_(shape_of(dataset_))
{
    Handle const type(check(H5Dget_type(dataset_.get()), "read the type of " + name_), H5Tclose);
    type_ = number_type(type.get(), name_);
    row_size_ = count_values(shape_, 1, name_);
    check_storage();
}

Numbers Numbers::open(Handle const& parent, std::string const& name)
{
    return {open_dataset(parent, name), name};
}

void Numbers::check_storage() const
{
    std::uint64_t const bytes = times(count_values(shape_, 0, name_), type_.size, name_);
    if (bytes == 0)
    {
        return;
    }
    Handle const properties(
        check(H5Dget_create_plist(dataset_.get()), "read the layout of " + name_), H5Pclose);
    std::uint64_t const file = file_size_of(dataset_.get());
    std::uint64_t const expansion =
        uses_deflate(properties.get(), name_) ? largest_expansion : std::uint64_t{1};
    bool const chunked = H5Pget_layout(properties.get()) == H5D_CHUNKED;
    std::uint64_t const stored = std::min<std::uint64_t>(H5Dget_storage_size(dataset_.get()), file);
    std::uint64_t const piece =
        chunked ? chunk_bytes(properties.get(), shape_.size(), type_.size, name_) : 0;
    if (bytes / expansion > stored || piece / expansion > file)
    {
        throw IoError(fmt::format(
            "{} declares {} bytes, of which {} are stored in this file of {}: the file is damaged.",
            name_, std::max(bytes, piece), stored, file));
    }
}

void Numbers::read_raw(hid_t type, hsize_t first, hsize_t count, void* out) const
{
    if (shape_.empty())
    {
        check(H5Dread(dataset_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out), "read " + name_);
        return;
    }
    Shape start(shape_.size(), 0), extent = shape_;
    start.front() = first;
    extent.front() = count;
    Handle const file_space(check(H5Dget_space(dataset_.get()), "select rows"), H5Sclose);
    check(H5Sselect_hyperslab(file_space.get(), H5S_SELECT_SET, start.data(), nullptr,
                              extent.data(), nullptr),
          "select rows of " + name_);
    Handle const memory_space = make_space(extent);
    check(H5Dread(dataset_.get(), type, memory_space.get(), file_space.get(), H5P_DEFAULT, out),
          "read " + name_);
}

template <class T>
void Numbers::read(hsize_t first, hsize_t count, std::span<T> out) const
{
    if (first > rows() || count > rows() - first)
    {
        throw IoError(fmt::format("{} has {} rows where {} are expected: the file is incomplete.",
                                  name_, rows(), first + count));
    }
    if (out.size() != count * row_size_)
    {
        throw IoError(
            fmt::format("{} has {} values a row, other than expected.", name_, row_size_));
    }
    if (!out.empty())
    {
        read_checked<T>(
            type_, name_, [&](hid_t type, void* to) { read_raw(type, first, count, to); }, out);
    }
}

template <class T>
std::vector<T> Numbers::read(hsize_t first, hsize_t count) const
{
    std::vector<T> values(std::min(count, rows()) * row_size_);
    read<T>(first, count, std::span<T>(values));
    return values;
}

template <class T>
T read_number(Handle const& parent, std::string const& name)
{
    Numbers const numbers = Numbers::open(parent, name);
    if (numbers.shape().size() > 1 || numbers.rows() != 1)
    {
        throw IoError(fmt::format("{} is not one number.", name));
    }
    return numbers.all<T>().front();
}

template <class T>
std::vector<T> read_attribute(Handle const& object, std::string const& name, std::size_t largest)
{
    Handle const attribute = open_attribute(object, name);
    Handle const type(check(H5Aget_type(attribute.get()), "read the type of " + name), H5Tclose);
    NumberType const stored = number_type(type.get(), name);
    std::vector<T> values(attribute_size(attribute, name, largest));
    if (!values.empty())
    {
        read_checked<T>(
            stored, name,
            [&](hid_t memory_type, void* to) {
                check(H5Aread(attribute.get(), memory_type, to), "read " + name);
            },
            std::span<T>(values));
    }
    return values;
}

template <class T>
T read_attribute_number(Handle const& object, std::string const& name)
{
    std::vector<T> const values = read_attribute<T>(object, name, 1);
    if (values.empty())
    {
        throw IoError(fmt::format("the attribute {} is empty.", name));
    }
    return values.front();
}

#define TESSERA_NUMBERS_OF(T)                                                               \
    template void Numbers::read(hsize_t, hsize_t, std::span<T>) const;                      \
    template std::vector<T> Numbers::read(hsize_t, hsize_t) const;                          \
    template T read_number(Handle const&, std::string const&);                              \
    template std::vector<T> read_attribute(Handle const&, std::string const&, std::size_t); \
    template T read_attribute_number(Handle const&, std::string const&);

TESSERA_NUMBERS_OF(float)
TESSERA_NUMBERS_OF(double)
TESSERA_NUMBERS_OF(std::int32_t)
TESSERA_NUMBERS_OF(std::int64_t)
TESSERA_NUMBERS_OF(std::uint64_t)
#undef TESSERA_NUMBERS_OF

}  // namespace tessera::hdf5
