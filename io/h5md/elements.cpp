#include "io/h5md/elements.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "engine/config/errors.hpp"
#include "io/hdf5/attributes.hpp"

namespace tessera::hdf5
{

namespace
{

/// offset + frame * increment, refused where a step has no 64 bits for it.
template <class T>
T ticks(T offset, std::int64_t frame, T increment, std::string const& name)
{
    if constexpr (std::integral<T>)
    {
        T product = 0, sum = 0;
        if (__builtin_mul_overflow(frame, increment, &product) ||
            __builtin_add_overflow(offset, product, &sum))
        {
            throw IoError(fmt::format("{} of frame {} does not fit 64 bits.", name, frame));
        }
        return sum;
    }
    else
    {
        return offset + static_cast<T>(frame) * increment;
    }
}

}  // namespace

Element::Element(Numbers numbers, std::string name, bool changes)
    : numbers_(std::move(numbers)), name_(std::move(name)), changes_(changes)
{
}

std::optional<Element> Element::find(Handle const& parent, std::string const& name)
{
    if (!exists(parent, name))
    {
        return std::nullopt;
    }
    bool const changes = is_group(parent, name);
    std::string const dataset = changes ? name + "/value" : name;
    Numbers numbers = Numbers::open(parent, dataset);
    if (changes && numbers.shape().empty())
    {
        throw IoError(fmt::format("{} is one number, not a series of frames.", dataset));
    }
    return Element(std::move(numbers), name, changes);
}

template <class T>
std::vector<T> Element::read(std::int64_t frame, std::uint64_t expected) const
{
    std::uint64_t const size =
        changes_ ? numbers_.row_size() : numbers_.row_size() * numbers_.rows();
    if (size != expected)
    {
        throw IoError(
            fmt::format("{} has {} values a frame, {} are expected.", name_, size, expected));
    }
    return changes_ ? numbers_.read<T>(static_cast<hsize_t>(frame), 1) : numbers_.all<T>();
}

template <class T>
std::vector<Vec3<T>> read_vectors(std::optional<Element> const& element, std::int64_t frame,
                                  std::size_t count)
{
    if (!element)
    {
        return {};
    }
    std::vector<T> const values = element->read<T>(frame, 3 * std::uint64_t{count});
    std::vector<Vec3<T>> vectors(count);
    for (std::size_t particle = 0; particle < count; ++particle)
    {
        vectors[particle] = {values[3 * particle], values[3 * particle + 1],
                             values[3 * particle + 2]};
    }
    return vectors;
}

Vec3<double> read_edges(Element const& element, std::int64_t frame)
{
    bool const matrix = element.rank() == 2;
    auto const values = element.read<double>(frame, matrix ? 9 : 3);
    Vec3<double> edges;
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
        for (std::size_t column = 0; matrix && column < 3; ++column)
        {
            if (axis != column && values[3 * axis + column] != 0.0)
            {
                throw IoError("the box is not orthogonal; only orthogonal boxes are read.");
            }
        }
        double const edge = values[matrix ? 4 * axis : axis];
        if (!std::isfinite(edge) || edge <= 0.0)
        {
            throw IoError(
                fmt::format("the box edge along {} is {}; it must be above 0.", "xyz"[axis], edge));
        }
        edges[static_cast<int>(axis)] = edge;
    }
    return edges;
}

template <class T>
std::vector<T> read_clock(Handle const& element, std::string const& name, std::int64_t first,
                          std::int64_t count)
{
    std::vector<T> values(static_cast<std::size_t>(count), T{0});
    if (!exists(element, name))
    {
        return values;
    }
    Numbers const numbers = Numbers::open(element, name);
    if (numbers.shape().size() > 1)
    {
        throw IoError(fmt::format("position/{} is not of shape [frame].", name));
    }
    if (!numbers.shape().empty())
    {
        numbers.read<T>(static_cast<hsize_t>(first), values.size(), std::span<T>(values));
        return values;
    }
    T const increment = numbers.all<T>().front();
    T const offset = has_attribute(numbers.dataset(), "offset")
                         ? read_attribute_number<T>(numbers.dataset(), "offset")
                         : T{0};
    for (std::size_t frame = 0; frame < values.size(); ++frame)
    {
        values[frame] = ticks(offset, first + static_cast<std::int64_t>(frame), increment, name);
    }
    return values;
}

template std::vector<double> Element::read(std::int64_t, std::uint64_t) const;
template std::vector<std::int32_t> Element::read(std::int64_t, std::uint64_t) const;
template std::vector<std::int64_t> Element::read(std::int64_t, std::uint64_t) const;
template std::vector<Vec3<double>> read_vectors(std::optional<Element> const&, std::int64_t,
                                                std::size_t);
template std::vector<Vec3<std::int32_t>> read_vectors(std::optional<Element> const&, std::int64_t,
                                                      std::size_t);
template std::vector<std::int64_t> read_clock(Handle const&, std::string const&, std::int64_t,
                                              std::int64_t);
template std::vector<double> read_clock(Handle const&, std::string const&, std::int64_t,
                                        std::int64_t);

std::vector<std::pair<std::int64_t, std::string>> number_labels(Handle const& dataset)
{
    std::vector<std::pair<std::int64_t, std::string>> labels;
    Handle const type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
    if (H5Tget_class(type.get()) != H5T_ENUM)
    {
        return labels;
    }
    number_type(type.get(), "an enumeration");  // whose values have at most 64 bits
    Handle const base(check(H5Tget_super(type.get()), "read a type"), H5Tclose);
    auto const count = static_cast<unsigned>(check(H5Tget_nmembers(type.get()), "read a type"));
    for (unsigned member = 0; member < count; ++member)
    {
        // Room for any integer, which conversion in place makes 64 bits wide.
        std::array<std::int64_t, 4> number{};
        check(H5Tget_member_value(type.get(), member, number.data()), "read a label");
        check(H5Tconvert(base.get(), H5T_NATIVE_INT64, 1, number.data(), nullptr, H5P_DEFAULT),
              "convert a label");
        char* const name = H5Tget_member_name(type.get(), member);
        if (name == nullptr)
        {
            fail("read a label");
        }
        labels.emplace_back(number[0], name);
        H5free_memory(name);
    }
    return labels;
}

std::string number_type_name(Handle const& dataset)
{
    Handle const type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
    try
    {
        NumberType const stored = number_type(type.get(), "");
        return fmt::format("{}{}", stored.floating ? "float" : "int", 8 * stored.size);
    }
    catch (IoError const&)
    {
        return "other";
    }
}

}  // namespace tessera::hdf5
