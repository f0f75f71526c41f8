#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/input.hpp"

namespace tessera
{

/// Where the properties of an extended XYZ file stand on the line of a particle: the first column
/// of each that is read, empty where the file has none.
struct XyzColumns
{
    using Column = std::optional<std::size_t>;
    Column species, position, image, velocity, id, mass, charge;
    std::size_t count = 0;            ///< of all properties
    std::vector<std::string> unused;  ///< names of those that are not read
};

/// Reads "species:S:1:pos:R:3:...", the Properties on the present line of `input`. No more columns
/// are taken for announced than the rest of the file can hold. Throws IoError with file and line.
XyzColumns parse_properties(TextInput const& input, std::string_view properties);

}  // namespace tessera
