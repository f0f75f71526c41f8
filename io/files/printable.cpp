#include "io/files/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace tessera
{
namespace
{

/// A character of UTF-8: its number and its bytes; 0 bytes where there is none.
struct Character
{
    std::uint32_t code = 0;
    std::size_t bytes = 0;
};

/// The character that `text`, not empty, begins with. Overlong forms, halves of surrogates and
/// numbers above 0x10ffff are none (Unicode 15, table 3-7).
Character first_character(std::string_view text)
{
    auto const lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80)
    {
        return {lead, 1};
    }
    std::size_t const bytes = lead >= 0xf0 ? 4 : (lead >= 0xe0 ? 3 : 2);
    if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes)
    {
        return {};
    }
    std::uint32_t code = lead & (0x7fU >> bytes);
    for (std::size_t index = 1; index < bytes; ++index)
    {
        auto const byte = static_cast<unsigned char>(text[index]);
        if ((byte & 0xc0) != 0x80)
        {
            return {};
        }
        code = code << 6 | (byte & 0x3fU);
    }
    constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool const surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[bytes] || surrogate || code > 0x10ffff ? Character{}
                                                               : Character{code, bytes};
}

/// Moves the cursor, ends a line or turns the direction of the text that follows.
bool steers(std::uint32_t code)
{
    bool const control = code < 0x20 || (code >= 0x7f && code <= 0x9f);
    bool const line_end = code == 0x2028 || code == 0x2029;
    bool const direction = code == 0x200e || code == 0x200f || code == 0x061c ||
                           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return control || line_end || direction || code == 0xfeff;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max)
{
    std::string shown;
    std::string_view rest = text;
    while (!rest.empty())
    {
        Character const next = first_character(rest);
        std::size_t const bytes = next.bytes == 0 ? 1 : next.bytes;
        if (text.size() - rest.size() + bytes > max)
        {
            fmt::format_to(std::back_inserter(shown), "... ({} bytes)", text.size());
            break;
        }
        if (next.bytes == 0 || (next.code < 0x80 && steers(next.code)))
        {
            fmt::format_to(std::back_inserter(shown), "\\x{:02x}",
                           static_cast<unsigned char>(rest.front()));
        }
        else if (steers(next.code))
        {
            fmt::format_to(std::back_inserter(shown), "\\u{{{:x}}}", next.code);
        }
        else
        {
            shown += rest.substr(0, bytes);
        }
        rest.remove_prefix(bytes);
    }
    return shown;
}

std::string printable_lines(std::string_view message)
{
    constexpr std::size_t longest_line = 4000;
    std::string shown;
    while (true)
    {
        std::size_t const end = message.find('\n');
        shown += printable(message.substr(0, end), longest_line);
        if (end == std::string_view::npos)
        {
            return shown;
        }
        shown += '\n';
        message.remove_prefix(end + 1);
    }
}

std::string list_foreign_names(std::vector<std::string> const& names)
{
    constexpr std::size_t most = 12;
    std::string list;
    for (std::size_t index = 0; index < std::min(names.size(), most); ++index)
    {
        list += (index == 0 ? "" : ", ") + printable(names[index]);
    }
    return names.size() <= most ? list : fmt::format("{}, ... ({} in all)", list, names.size());
}

}  // namespace tessera
