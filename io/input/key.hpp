#pragma once
/// What is said of a key of an input, and the values whose spelling is not that of their type.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/yaml/written.hpp"

namespace tessera
{

enum class Need
{
    optional,
    required
};

/// How the writer lays a section out: {a: 1, b: 2}, or a key a line.
enum class SectionLayout
{
    flow,
    lines
};

/// A key as a reader of the reference meets it, and how it is read and written.
struct Key
{
    std::string_view name;
    Need need = Need::optional;
    std::string_view unit = {}, range = {};
    std::string_view meaning = {};
    std::string_view empty_word = {};  ///< `auto`, say: leaves the value empty, and is written
    std::string_view without = {};     ///< the default where the value is empty, in words
    bool written = true;               ///< whether the resolved input has it
    bool governs = false;              ///< its section's other keys mean nothing if it is wrong
    SectionLayout layout = SectionLayout::flow;  ///< of a section
};

/// A time with a unit [s].
struct Seconds
{
    std::optional<double>& value;
};

/// The two species of a pair.
struct SpeciesPair
{
    std::string &first, &second;
};

/// A whole number from `least` on; 0, or nothing, stands for the empty word.
template <class T>
struct Number
{
    T& value;
    std::int64_t least;
    std::string_view advice;  ///< for a smaller one
};

template <class T>
Number(T&, std::int64_t, std::string_view) -> Number<T>;

inline std::string written(Seconds seconds)
{
    return written(seconds.value);
}

inline std::string written(SpeciesPair pair)
{
    return written(std::vector<std::string>{pair.first, pair.second});
}

template <class T>
std::string written(Number<T> number)
{
    return number.value == T() ? std::string() : written(number.value);
}

}  // namespace tessera
