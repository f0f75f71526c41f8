#include "io/text/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "engine/config/errors.hpp"
#include "io/files/durable_file.hpp"
#include "io/files/printable.hpp"

namespace tessera
{

namespace
{

std::string text_of(std::filesystem::path const& path)
{
    std::vector<std::byte> const bytes = read_bytes(path);
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// std::from_chars takes no plus sign.
std::string_view without_plus(std::string_view field)
{
    bool const plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
    return plus ? field.substr(1) : field;
}

template <class T>
bool parse(std::string_view field, T& value)
{
    field = without_plus(field);
    char const* const end = field.data() + field.size();
    auto const [stop, error] = std::from_chars(field.data(), end, value);
    return error == std::errc() && stop == end;
}

std::size_t significant_digits(std::string_view field)
{
    std::string_view const mantissa = field.substr(0, field.find_first_of("eE"));
    std::size_t const first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
    return static_cast<std::size_t>(std::count_if(mantissa.begin() + first, mantissa.end(),
                                                  [](char c) { return c >= '0' && c <= '9'; }));
}

constexpr std::size_t max_name_bytes = 64;

}  // namespace

bool is_species_name(std::string_view name)
{
    return !name.empty() && name.size() <= max_name_bytes &&
           name.find(' ') == std::string_view::npos && printable(name, max_name_bytes) == name;
}

TextInput::TextInput(std::filesystem::path path) : path_(std::move(path)), text_(text_of(path_))
{
}

bool TextInput::next_line()
{
    if (offset_ >= text_.size())
    {
        return false;
    }
    std::size_t const end = std::min(text_.find('\n', offset_), text_.size());
    line_ = std::string_view(text_).substr(offset_, end - offset_);
    if (!line_.empty() && line_.back() == '\r')
    {
        line_.remove_suffix(1);
    }
    offset_ = end + 1;
    ++line_number_;
    return true;
}

void TextInput::require_line(std::string_view expected)
{
    if (!next_line())
    {
        fail(fmt::format("the file ends here, but {} should follow.", expected));
    }
}

void TextInput::fail(std::string_view message) const
{
    throw IoError(fmt::format("{}:{}: {}", path_.string(), line_number_, message));
}

double TextInput::number(std::string_view field, std::string_view what) const
{
    double value = 0.0;
    if (!parse(field, value) || !std::isfinite(value))
    {
        fail(fmt::format("'{}' is no finite number for {}.", printable(field), what));
    }
    return value;
}

std::int64_t TextInput::integer(std::string_view field, std::string_view what) const
{
    std::int64_t value = 0;
    if (!parse(field, value))
    {
        fail(fmt::format("'{}' is no integer for {}.", printable(field), what));
    }
    return value;
}

std::int32_t TextInput::small_integer(std::string_view field, std::string_view what) const
{
    std::int32_t value = 0;
    if (!parse(field, value))
    {
        fail(fmt::format("'{}' is no 32-bit integer for {}.", printable(field), what));
    }
    return value;
}

StatedNumber TextInput::stated_number(std::string_view field, std::string_view what) const
{
    StatedNumber stated{number(field, what), 0.0};
    std::size_t const digits = std::max<std::size_t>(significant_digits(field), 6);
    // Sixteen digits and more tell neighboring doubles apart, or nearly.
    if (stated.value != 0.0 && digits < 16)
    {
        double const magnitude = std::floor(std::log10(std::abs(stated.value)));
        stated.tolerance = 0.5 * std::pow(10.0, magnitude + 1.0 - static_cast<double>(digits));
    }
    return stated;
}

std::int64_t TextInput::count(std::string_view field, std::size_t bytes_each,
                              std::string_view what) const
{
    std::int64_t const announced = integer(field, what);
    if (announced < 1)
    {
        fail(fmt::format("{} is {}, which must be above 0.", what, announced));
    }
    // The last line may lack its end.
    std::size_t const room = (bytes_left() + 1) / bytes_each;
    if (static_cast<std::uint64_t>(announced) > room)
    {
        fail(fmt::format("{} is {}, but the file ends too early for more than {}.", what, announced,
                         room));
    }
    return announced;
}

std::string TextInput::name(std::string_view field) const
{
    if (!is_species_name(field))
    {
        fail(fmt::format("'{}' is no name of a species: one word of at most {} bytes is.",
                         printable(field), max_name_bytes));
    }
    return std::string(field);
}

void TextInput::go_back(Mark mark)
{
    offset_ = mark.offset;
    line_number_ = mark.line_number;
}

std::vector<std::string_view> fields_of(std::string_view line)
{
    constexpr std::string_view blanks = " \t\r";
    std::vector<std::string_view> fields;
    std::size_t first = line.find_first_not_of(blanks);
    while (first != std::string_view::npos)
    {
        std::size_t const end = std::min(line.find_first_of(blanks, first), line.size());
        fields.push_back(line.substr(first, end - first));
        first = line.find_first_not_of(blanks, end);
    }
    return fields;
}

}  // namespace tessera
