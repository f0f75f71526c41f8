#include "io/text/xyz_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "io/files/printable.hpp"

namespace tessera
{

namespace
{

struct KnownProperty
{
    std::string_view name, type;
    XyzColumns::Column XyzColumns::*column;
};

constexpr KnownProperty known_properties[] = {
    {"species", "S:1", &XyzColumns::species}, {"pos", "R:3", &XyzColumns::position},
    {"image", "I:3", &XyzColumns::image},     {"velo", "R:3", &XyzColumns::velocity},
    {"vel", "R:3", &XyzColumns::velocity},    {"velocity", "R:3", &XyzColumns::velocity},
    {"id", "I:1", &XyzColumns::id},           {"mass", "R:1", &XyzColumns::mass},
    {"masses", "R:1", &XyzColumns::mass},     {"charge", "R:1", &XyzColumns::charge},
    {"charges", "R:1", &XyzColumns::charge},  {"initial_charges", "R:1", &XyzColumns::charge},
};

/// Adds the property `name` of `type` and width, "R:3", to the columns.
void add_property(TextInput const& input, XyzColumns& columns, std::string_view name,
                  std::string_view type)
{
    auto const* const known =
        std::find_if(std::begin(known_properties), std::end(known_properties),
                     [&](KnownProperty const& entry) { return entry.name == name; });
    if (known == std::end(known_properties))
    {
        columns.unused.emplace_back(name);
        return;
    }
    if (type != known->type)
    {
        input.fail(
            fmt::format("property {} is not {}, but {}.", name, known->type, printable(type)));
    }
    if (columns.*known->column)
    {
        input.fail(fmt::format("property {} is there twice.", name));
    }
    columns.*known->column = columns.count;
}

}  // namespace

XyzColumns parse_properties(TextInput const& input, std::string_view properties)
{
    std::string_view rest = properties;
    auto const next = [&] {
        std::size_t const colon = rest.find(':');
        std::string_view const part = rest.substr(0, colon);
        rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
        return part;
    };
    XyzColumns columns;
    while (!rest.empty())
    {
        std::string_view const name = next(), type_and_width = rest;
        std::string_view const type = next(), width_text = next();
        if (name.empty() || type.empty() || width_text.empty())
        {
            input.fail("Properties is not a chain of name:type:count.");
        }
        auto const width = input.small_integer(width_text, "the width of a property");
        if (width < 1 || width > 1000)
        {
            input.fail(fmt::format("property {} has a width of {}.", printable(name), width));
        }
        add_property(input, columns, name,
                     type_and_width.substr(0, type.size() + 1 + width_text.size()));
        columns.count += static_cast<std::size_t>(width);
        // Every column takes a byte and a blank of the next line, so the file bounds them.
        if (columns.count > input.bytes_left())
        {
            input.fail("Properties announces more columns than the file can hold.");
        }
    }
    if (!columns.species || !columns.position)
    {
        input.fail("Properties lacks species:S:1 or pos:R:3.");
    }
    return columns;
}

}  // namespace tessera
