#include "io/h5md_elements.hpp"

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

std::string number_type(Handle const& dataset)
{
    Handle const type(check(H5Dget_type(dataset.get()), "read a type"), H5Tclose);
    return fmt::format("{}{}", H5Tget_class(type.get()) == H5T_FLOAT ? "float" : "int",
                       8 * H5Tget_size(type.get()));
}

}  // namespace tessera::hdf5
