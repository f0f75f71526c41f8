#include "tests/fuzz/hdf5_draft.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace tessera::fuzz
{

using namespace hdf5;

namespace
{

/// More than that is declared, but not written.
constexpr std::size_t most_bytes = std::size_t{1} << 16;
constexpr hsize_t most_elements = hsize_t{1} << 60;

Handle copy_of(hid_t type)
{
    return {H5Tcopy(type), H5Tclose};
}

Handle text_type(std::size_t size)
{
    Handle type = copy_of(H5T_C_S1);
    H5Tset_size(type.get(), size);
    return type;
}

Handle type_at(std::size_t index)
{
    hid_t const numbers[] = {H5T_STD_I8LE,   H5T_STD_U8LE,    H5T_STD_I16BE,     H5T_STD_I32LE,
                             H5T_STD_U32LE,  H5T_STD_I64LE,   H5T_STD_I64BE,     H5T_STD_U64LE,
                             H5T_IEEE_F32LE, H5T_IEEE_F32BE,  H5T_IEEE_F64LE,    H5T_IEEE_F64BE,
                             H5T_STD_B8LE,   H5T_STD_REF_OBJ, H5T_NATIVE_LDOUBLE};
    constexpr std::size_t count = std::size(numbers);
    hsize_t const three = 3;
    switch (index % (count + 8))
    {
        case count:
            return text_type(1);
        case count + 1:
            return text_type(8);
        case count + 2:
            return text_type(H5T_VARIABLE);
        case count + 3: {
            Handle type(H5Tcreate(H5T_COMPOUND, 16), H5Tclose);
            H5Tinsert(type.get(), "r", 0, H5T_IEEE_F64LE);
            H5Tinsert(type.get(), "i", 8, H5T_IEEE_F64LE);
            return type;
        }
        case count + 4:
            return {H5Tarray_create2(H5T_IEEE_F64LE, 1, &three), H5Tclose};
        case count + 5:
            return {H5Tvlen_create(H5T_STD_I32LE), H5Tclose};
        case count + 6:
            return {H5Tcreate(H5T_OPAQUE, 8), H5Tclose};
        case count + 7: {
            Handle type(H5Tenum_create(H5T_STD_I32LE), H5Tclose);
            int const values[] = {0, 1};
            H5Tenum_insert(type.get(), "no", &values[0]);
            H5Tenum_insert(type.get(), "yes", &values[1]);
            return type;
        }
        default:
            return copy_of(numbers[index % (count + 8)]);
    }
}

bool points_elsewhere(Handle const& type)
{
    return H5Tis_variable_str(type.get()) > 0 || H5Tdetect_class(type.get(), H5T_VLEN) > 0 ||
           H5Tdetect_class(type.get(), H5T_REFERENCE) > 0;
}

void set_filter(Handle const& properties, int filter)
{
    switch (filter % 6)
    {
        case 0:
            H5Pset_deflate(properties.get(), 1);
            break;
        case 1:
            H5Pset_shuffle(properties.get());
            H5Pset_deflate(properties.get(), 9);
            break;
        case 2:
            H5Pset_fletcher32(properties.get());
            break;
        case 3:
            H5Pset_nbit(properties.get());
            break;
        case 4:
            H5Pset_scaleoffset(properties.get(), H5Z_SO_INT, 0);
            break;
        default: {
            // a filter that nobody has
            unsigned const number = 1;
            H5Pset_filter(properties.get(), 400, H5Z_FLAG_OPTIONAL, 1, &number);
            break;
        }
    }
}

}  // namespace

Draft Draft::read(Handle type, Handle const& space)
{
    Draft draft;
    draft.type_ = std::move(type);
    draft.shape.resize(
        static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
    H5Sget_simple_extent_dims(space.get(), draft.shape.data(), nullptr);
    return draft;
}

Draft Draft::of_dataset(Handle const& dataset)
{
    Handle const space(H5Dget_space(dataset.get()), H5Sclose);
    Draft draft = read({H5Dget_type(dataset.get()), H5Tclose}, space);
    Handle const properties(H5Dget_create_plist(dataset.get()), H5Pclose);
    hsize_t chunk[H5S_MAX_RANK] = {};
    bool const chunked = H5Pget_layout(properties.get()) == H5D_CHUNKED &&
                         H5Pget_chunk(properties.get(), H5S_MAX_RANK, chunk) > 0;
    draft.chunk_rows = chunked ? std::min<hsize_t>(chunk[0], 8) : 0;
    draft.growable = chunked;
    draft.values_.resize(std::min(draft.elements() * draft.element_size(), most_bytes));
    bool const whole = draft.elements() * draft.element_size() <= most_bytes;
    if (whole && !points_elsewhere(draft.type_) && H5Pget_external_count(properties.get()) == 0)
    {
        H5Dread(dataset.get(), draft.type_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                draft.values_.data());
    }
    return draft;
}

Draft Draft::of_attribute(Handle const& object, std::string const& name)
{
    Handle const attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    Handle const space(H5Aget_space(attribute.get()), H5Sclose);
    Draft draft = read({H5Aget_type(attribute.get()), H5Tclose}, space);
    draft.values_.resize(std::min(draft.elements() * draft.element_size(), most_bytes));
    if (draft.elements() * draft.element_size() <= most_bytes && !points_elsewhere(draft.type_))
    {
        H5Aread(attribute.get(), draft.type_.get(), draft.values_.data());
    }
    return draft;
}

std::size_t Draft::element_size() const
{
    return std::max<std::size_t>(1, H5Tget_size(type_.get()));
}

std::size_t Draft::elements() const
{
    hsize_t count = 1;
    for (hsize_t const extent : shape)
    {
        count = extent == 0 || count < most_elements / extent ? count * extent : most_elements;
    }
    return space == Space::null ? 0 : count;
}

std::vector<std::byte> Draft::filled() const
{
    std::size_t const count = elements();
    if (!written || count == 0 || count > most_bytes / element_size())
    {
        return {};
    }
    std::vector<std::byte> bytes(count * element_size());
    for (std::size_t byte = 0; byte < bytes.size() && !values_.empty(); ++byte)
    {
        bytes[byte] = values_[byte % values_.size()];
    }
    return bytes;
}

void Draft::set_type(std::size_t index)
{
    type_ = type_at(index);
}

void Draft::set_value(std::size_t index, double value)
{
    std::size_t const size = element_size();
    if (values_.size() < size || points_elsewhere(type_))
    {
        return;
    }
    std::vector<std::byte> element(std::max(size, sizeof value));
    std::memcpy(element.data(), &value, sizeof value);
    if (H5Tconvert(H5T_NATIVE_DOUBLE, type_.get(), 1, element.data(), nullptr, H5P_DEFAULT) >= 0)
    {
        std::memcpy(&values_[index % (values_.size() / size) * size], element.data(), size);
    }
}

void Draft::set_every_value(double value)
{
    for (std::size_t index = 0; index < values_.size() / element_size(); ++index)
    {
        set_value(index, value);
    }
}

void Draft::set_byte(std::size_t index, std::uint8_t byte)
{
    if (!values_.empty() && !points_elsewhere(type_))
    {
        values_[index % values_.size()] = static_cast<std::byte>(byte);
    }
}

void Draft::swap_values(std::size_t first, std::size_t second)
{
    std::size_t const size = element_size();
    std::size_t const count = values_.size() / size;
    if (count > 0)
    {
        auto const begin = values_.begin() + static_cast<std::ptrdiff_t>(first % count * size);
        auto const other = values_.begin() + static_cast<std::ptrdiff_t>(second % count * size);
        std::swap_ranges(
            begin, begin + static_cast<std::ptrdiff_t>(first % count == second % count ? 0 : size),
            other);
    }
}

void Draft::set_text(std::string const& text)
{
    text_ = text;
    if (H5Tis_variable_str(type_.get()) <= 0)
    {
        type_ = text_type(std::max<std::size_t>(1, text.size()));
        auto const bytes = std::as_bytes(std::span(text));
        values_.assign(bytes.begin(), bytes.end());
    }
}

Handle Draft::make_space_of_draft() const
{
    if (space == Space::null)
    {
        return {H5Screate(H5S_NULL), H5Sclose};
    }
    if (shape.empty())
    {
        return {H5Screate(H5S_SCALAR), H5Sclose};
    }
    Shape most = shape;
    if (growable && chunk_rows > 0)
    {
        most.front() = H5S_UNLIMITED;
    }
    return {H5Screate_simple(static_cast<int>(shape.size()), shape.data(), most.data()), H5Sclose};
}

Handle Draft::make_properties(std::string const& name) const
{
    Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    bool const many = elements() > most_bytes / element_size();
    if (!shape.empty() && (chunk_rows > 0 || many || filter >= 0))
    {
        Shape chunk = shape;
        for (hsize_t& extent : chunk)
        {
            extent = std::clamp<hsize_t>(extent, 1, 8);
        }
        chunk.front() = std::max<hsize_t>(1, chunk_rows);
        H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
        if (filter >= 0)
        {
            set_filter(properties, filter);
        }
    }
    else if (!outside.empty())
    {
        H5Pset_external(properties.get(), outside.c_str(), 0, H5F_UNLIMITED);
    }
    if (!virtual_file.empty() && !shape.empty())
    {
        Handle const whole = make_space(shape);
        H5Pset_virtual(properties.get(), whole.get(), virtual_file.c_str(), name.c_str(),
                       whole.get());
    }
    if (fill_value)
    {
        H5Pset_fill_value(properties.get(), H5T_NATIVE_DOUBLE, &*fill_value);
    }
    H5Pset_obj_track_times(properties.get(), false);
    return properties;
}

void Draft::make_dataset(Handle const& file, std::string const& name) const
{
    H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT);
    Handle const file_space = make_space_of_draft();
    Handle const properties = make_properties(name);
    Handle const dataset(H5Dcreate2(file.get(), name.c_str(), type_.get(), file_space.get(),
                                    H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                         H5Dclose);
    if (dataset.get() < 0 || !virtual_file.empty() || !outside.empty())
    {
        return;
    }
    if (H5Tis_variable_str(type_.get()) > 0 && elements() <= most_bytes / sizeof(char*) && written)
    {
        std::vector<char const*> const texts(elements(), text_.c_str());
        H5Dwrite(dataset.get(), type_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data());
    }
    else if (auto const bytes = filled(); !bytes.empty() && !points_elsewhere(type_))
    {
        H5Dwrite(dataset.get(), type_.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    }
}

void Draft::make_attribute(Handle const& object, std::string const& name) const
{
    Handle const attribute_space = make_space_of_draft();
    if (elements() > most_bytes / element_size())
    {
        return;
    }
    Handle const attribute(H5Acreate2(object.get(), name.c_str(), type_.get(),
                                      attribute_space.get(), H5P_DEFAULT, H5P_DEFAULT),
                           H5Aclose);
    if (attribute.get() < 0)
    {
        return;
    }
    if (H5Tis_variable_str(type_.get()) > 0)
    {
        std::vector<char const*> const texts(elements(), text_.c_str());
        H5Awrite(attribute.get(), type_.get(), texts.data());
    }
    else if (auto const bytes = filled(); !bytes.empty() && !points_elsewhere(type_))
    {
        H5Awrite(attribute.get(), type_.get(), bytes.data());
    }
}

Handle open_for_editing(std::string const& image)
{
    Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.get(), 1 << 16, false);
    H5Pset_file_image(access.get(), const_cast<char*>(image.data()), image.size());
    return {H5Fopen("edited", H5F_ACC_RDWR, access.get()), H5Fclose};
}

}  // namespace tessera::fuzz
