#include "io/text_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "engine/errors.hpp"
#include "io/durable_file.hpp"

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

}  // namespace

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
        fail(fmt::format("'{}' is no finite number for {}.", field, what));
    }
    return value;
}

std::int64_t TextInput::integer(std::string_view field, std::string_view what) const
{
    std::int64_t value = 0;
    if (!parse(field, value))
    {
        fail(fmt::format("'{}' is no integer for {}.", field, what));
    }
    return value;
}

std::int32_t TextInput::small_integer(std::string_view field, std::string_view what) const
{
    std::int32_t value = 0;
    if (!parse(field, value))
    {
        fail(fmt::format("'{}' is no 32-bit integer for {}.", field, what));
    }
    return value;
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
