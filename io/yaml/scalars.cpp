#include "io/yaml/scalars.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <system_error>

namespace tessera
{
namespace
{

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& rest)
{
    std::size_t count = 0;
    while (count < rest.size() && is_digit(rest[count]))
    {
        ++count;
    }
    std::string_view const digits = rest.substr(0, count);
    rest.remove_prefix(count);
    return digits;
}

bool take(std::string_view& rest, std::string_view any_of)
{
    if (rest.empty() || any_of.find(rest.front()) == std::string_view::npos)
    {
        return false;
    }
    rest.remove_prefix(1);
    return true;
}

/// The parts of a decimal number, as written.
struct Decimal
{
    bool negative = false;
    std::string_view whole, fraction, exponent;
    bool exponent_negative = false;
};

std::string not_a_number(std::string_view text)
{
    std::string_view digits = text;
    take(digits, "+-");
    if (digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
    {
        return fmt::format("'{}' is hexadecimal; numbers are decimal here", text);
    }
    if (text.find('_') != std::string_view::npos)
    {
        return fmt::format("'{}' has digit separators; write the digits without '_'", text);
    }
    if (text.find(',') != std::string_view::npos)
    {
        return fmt::format("'{}' has a comma; the decimal sign is a point", text);
    }
    if (!digits.empty() && (digits[0] == '.' || digits[0] == 'n' || digits[0] == 'i'))
    {
        return fmt::format("'{}' is not a finite number; write one such as 0.5", text);
    }
    return fmt::format("'{}' is not a number; write one such as 12, 0.5 or 1e-3", text);
}

Parsed<Decimal> split_decimal(std::string_view text)
{
    Decimal parts;
    std::string_view rest = text;
    parts.negative = !rest.empty() && rest.front() == '-';
    take(rest, "+-");
    parts.whole = take_digits(rest);
    if (take(rest, "."))
    {
        parts.fraction = take_digits(rest);
    }
    if (parts.whole.empty() && parts.fraction.empty())
    {
        return {std::nullopt, not_a_number(text)};
    }
    if (take(rest, "eE"))
    {
        parts.exponent_negative = !rest.empty() && rest.front() == '-';
        take(rest, "+-");
        parts.exponent = take_digits(rest);
        if (parts.exponent.empty())
        {
            return {std::nullopt, not_a_number(text)};
        }
    }
    if (!rest.empty())
    {
        return {std::nullopt, not_a_number(text)};
    }
    if (parts.whole.size() > 1 && parts.whole.front() == '0')
    {
        return {std::nullopt,
                fmt::format("'{}' has leading zeros, which some read as octal; write it without",
                            text)};
    }
    return {parts, {}};
}

std::string_view strip_leading_zeros(std::string_view digits)
{
    std::size_t const first = digits.find_first_not_of('0');
    return first == std::string_view::npos ? std::string_view{} : digits.substr(first);
}

/// Exponents beyond this decide overflow or a fraction whatever the digits are (1 MiB of text).
constexpr std::int64_t exponent_limit = 100'000'000;

std::int64_t exponent_of(Decimal const& parts)
{
    std::int64_t exponent = exponent_limit;
    std::string_view const digits = strip_leading_zeros(parts.exponent);
    if (digits.size() <= 8)
    {
        exponent = 0;
        for (char const digit : digits)
        {
            exponent = 10 * exponent + (digit - '0');
        }
    }
    return parts.exponent_negative ? -exponent : exponent;
}

/// Magnitude of a whole decimal, or a fault if it is not whole or above 2^64 - 1.
Parsed<std::uint64_t> whole_magnitude(Decimal const& parts, std::string_view text)
{
    std::string digits{parts.whole};
    digits += parts.fraction;
    std::int64_t shift = exponent_of(parts) - static_cast<std::int64_t>(parts.fraction.size());
    while (shift < 0 && !digits.empty() && digits.back() == '0')
    {
        digits.pop_back();
        ++shift;
    }
    std::string_view const significant = strip_leading_zeros(digits);
    if (significant.empty())
    {
        return {std::uint64_t{0}, {}};
    }
    if (shift < 0)
    {
        return {std::nullopt, fmt::format("'{}' is not a whole number, and one is needed", text)};
    }
    std::string const too_large = fmt::format("'{}' does not fit into 64 bits", text);
    if (significant.size() + static_cast<std::size_t>(shift) > 20)
    {
        return {std::nullopt, too_large};
    }
    std::string const all =
        std::string{significant} + std::string(static_cast<std::size_t>(shift), '0');
    std::uint64_t value = 0;
    auto const [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
    if (error != std::errc{})
    {
        return {std::nullopt, too_large};
    }
    return {value, {}};
}

}  // namespace

Parsed<double> parse_number(std::string_view text)
{
    auto const [parts, fault] = split_decimal(text);
    if (!parts)
    {
        return {std::nullopt, fault};
    }
    // from_chars knows no plus sign.
    std::string_view const digits = text.front() == '+' ? text.substr(1) : text;
    double value = 0.0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range)
    {
        return {std::nullopt, fmt::format("'{}' is beyond the range of a double", text)};
    }
    if (error != std::errc{} || end != digits.data() + digits.size())
    {
        return {std::nullopt, not_a_number(text)};
    }
    return {value, {}};
}

Parsed<std::int64_t> parse_integer(std::string_view text)
{
    auto const [parts, fault] = split_decimal(text);
    if (!parts)
    {
        return {std::nullopt, fault};
    }
    auto const [magnitude, magnitude_fault] = whole_magnitude(*parts, text);
    if (!magnitude)
    {
        return {std::nullopt, magnitude_fault};
    }
    std::uint64_t const largest = std::numeric_limits<std::int64_t>::max();
    if (*magnitude > largest + (parts->negative ? 1U : 0U))
    {
        return {std::nullopt, fmt::format("'{}' does not fit into 64 bits with a sign", text)};
    }
    // Negating as unsigned reaches the lowest integer without overflow.
    return {static_cast<std::int64_t>(parts->negative ? 0U - *magnitude : *magnitude), {}};
}

Parsed<std::uint64_t> parse_unsigned(std::string_view text)
{
    auto const [parts, fault] = split_decimal(text);
    if (!parts)
    {
        return {std::nullopt, fault};
    }
    Parsed<std::uint64_t> magnitude = whole_magnitude(*parts, text);
    if (magnitude.value && *magnitude.value != 0 && parts->negative)
    {
        return {std::nullopt,
                fmt::format("'{}' is negative; it must be from 0 to 18446744073709551615", text)};
    }
    return magnitude;
}

Parsed<bool> parse_boolean(std::string_view text)
{
    if (text == "true")
    {
        return {true, {}};
    }
    if (text == "false")
    {
        return {false, {}};
    }
    return {std::nullopt, fmt::format("'{}' is not true or false; write one of these two", text)};
}

Parsed<double> parse_duration(std::string_view text)
{
    struct Unit
    {
        std::string_view name;
        double seconds;
    };
    constexpr Unit units[] = {{"min", 60.0}, {"s", 1.0}, {"h", 3600.0}, {"d", 86400.0}};
    for (Unit const& unit : units)
    {
        if (text.size() > unit.name.size() && text.ends_with(unit.name))
        {
            std::string_view number = text.substr(0, text.size() - unit.name.size());
            while (number.ends_with(' '))
            {
                number.remove_suffix(1);
            }
            Parsed<double> parsed = parse_number(number);
            if (parsed.value)
            {
                *parsed.value *= unit.seconds;
                return parsed;
            }
            break;
        }
    }
    Parsed<double> seconds = parse_number(text);
    if (!seconds.value)
    {
        seconds.fault = fmt::format(
            "'{}' is not a duration; write seconds, or a number with s, min, h or d such as 2h",
            text);
    }
    return seconds;
}

}  // namespace tessera
