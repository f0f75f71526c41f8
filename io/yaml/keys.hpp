#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera
{

/// Every key that an input may have, as dotted paths; list elements have no number.
std::span<std::string_view const> input_keys();

/// The sections in which `key` is a key, for a message: "'run'"; empty if there is none.
std::string section_of_key(std::string_view key);

}  // namespace tessera
