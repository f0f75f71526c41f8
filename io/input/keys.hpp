#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera
{

/// Every key that an input may have, as dotted paths; list elements have no number.
std::span<std::string const> input_keys();

/// What an input may hold, as a list in Markdown: a line a key with its type, unit, range, default
/// and meaning. Of `section`, a dotted path, and what is below it, or of all if that is empty. Throws ConfigError, naming the nearest, if there is none of that name.
std::string key_reference(std::string_view section);

}  // namespace tessera
