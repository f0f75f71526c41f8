#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera
{

/// The name that `text` most likely meant: the least number of letters inserted, dropped, replaced
/// or swapped with their neighbor (Damerau, CACM 7, 171 (1964)), at most a third of its length and
/// at least one, which in words of up to three letters is not a replaced one. Empty if none is that
/// near.
std::string_view nearest_name(std::string_view text, std::span<std::string_view const> names);

/// The sections in which `key` is one of the dotted paths `every_key`, for a message: "'run'"; empty
/// if there is none.
std::string section_of_key(std::string_view key, std::span<std::string const> every_key);

/// "a, b, c".
std::string list_names(std::span<std::string_view const> names);

}  // namespace tessera
