#pragma once
/// Inputs as text, and what is said of wrong ones.

#include <algorithm>
#include <string>
#include <vector>

#include "io/input/input.hpp"
#include "tests/support/support.hpp"

namespace tessera
{

/// A right input; `more` is appended.
inline std::string input(std::string const& more = "")
{
    return "system:\n"
           "  lattice: {type: fcc, cells: [4, 4, 4], density: 0.8442}\n"
           "  temperature: 1.44\n"
           "run: {steps: 10}\n" +
           more;
}

using Overrides = std::vector<std::string>;

/// The message of the ConfigError that the text must lead to.
inline std::string faults(std::string const& text, Overrides const& overrides = {})
{
    try
    {
        parse_input(text, "in.yaml", overrides);
    }
    catch (ConfigError const& error)
    {
        return error.what();
    }
    return "no error";
}

inline std::string replace(std::string text, std::string const& from, std::string const& to)
{
    std::size_t const at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

inline std::size_t lines(std::string const& text)
{
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

}  // namespace tessera
