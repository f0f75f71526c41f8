#pragma once
/// Strict readings of one plain scalar, the same under every locale.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera
{

/// A value, or why the text is not one: a sentence end such as "'0x10' is not a decimal number;
/// ...", ready to follow the key it is about.
template <class T>
struct Parsed
{
    std::optional<T> value;
    std::string fault;
};

/// A decimal number: 12, -0.5, .5, 1e-3. Leading zeros, digit separators, hexadecimal, nan, inf
/// and values that a double cannot hold are faults. Correctly rounded.
Parsed<double> parse_number(std::string_view text);

/// A decimal number that is a whole one, exactly: 12, -3, 1e6 and 1.5e1, but not 10.5. Never goes
/// through a double.
Parsed<std::int64_t> parse_integer(std::string_view text);

/// The same for 0 to 2^64 - 1.
Parsed<std::uint64_t> parse_unsigned(std::string_view text);

/// true or false, spelt so.
Parsed<bool> parse_boolean(std::string_view text);

/// Plain seconds, or a number with the unit s, min, h or d: 90, 30s, 15min, 1.5h, 1d. In [s].
Parsed<double> parse_duration(std::string_view text);

}  // namespace tessera
