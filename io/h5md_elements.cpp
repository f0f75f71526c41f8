#include "io/h5md_elements.hpp"

#include <array>

namespace tessera::hdf5
{

Vec3<double> read_edges(Handle const& box, std::int64_t frame)
{
    bool const changes = is_group(box, "edges");
    Shape const shape = shape_of(open_dataset(box, changes ? "edges/value" : "edges"));
    bool const matrix = shape.size() == (changes ? 3U : 2U);
    auto const values = read_element<double>(box, "edges", frame, matrix ? 9 : 3);
    if (!matrix)
    {
        return {values[0], values[1], values[2]};
    }
    for (std::size_t row = 0; row < 3; ++row)
    {
        for (std::size_t column = 0; column < 3; ++column)
        {
            if (row != column && values[3 * row + column] != 0.0)
            {
                throw IoError("the box is not orthogonal; only orthogonal boxes are read.");
            }
        }
    }
    return {values[0], values[4], values[8]};
}

std::vector<std::pair<std::int64_t, std::string>> number_labels(Handle const& dataset)
{
    std::vector<std::pair<std::int64_t, std::string>> labels;
    Handle const type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
    if (H5Tget_class(type.get()) != H5T_ENUM)
    {
        return labels;
    }
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

std::string number_type(Handle const& dataset)
{
    Handle const type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
    return fmt::format("{}{}", H5Tget_class(type.get()) == H5T_FLOAT ? "float" : "int",
                       8 * H5Tget_size(type.get()));
}

}  // namespace tessera::hdf5
