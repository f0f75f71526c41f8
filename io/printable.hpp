#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera
{

/// Foreign text, from a file or a command line, as a message may show it.
///
/// Control characters (those of terminals among them), marks that turn the direction of text, line
/// separators and bytes that are no UTF-8 become \x1b or \u{202e}. Of more than `max` bytes the
/// first are shown, with the number of all.
std::string printable(std::string_view text, std::size_t max = 64);

}  // namespace tessera
