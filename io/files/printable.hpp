#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// Foreign text, from a file or a command line, as a message may show it.
///
/// Control characters (those of terminals among them), marks that turn the direction of text, line
/// separators and bytes that are no UTF-8 become \x1b or \u{202e}. Of more than `max` bytes the
/// first are shown, with the number of all.
std::string printable(std::string_view text, std::size_t max = 64);

/// A whole message, whose lines are kept and shown as by printable(), each cut at 4 000 bytes.
std::string printable_lines(std::string_view message);

/// "a, b, c" of foreign names: the first dozen, and how many there are.
std::string list_foreign_names(std::vector<std::string> const& names);

}  // namespace tessera
