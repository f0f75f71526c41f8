#include "io/yaml/written.hpp"

#include <algorithm>

namespace tessera
{
namespace
{

bool is_plain(std::string_view text)
{
    auto const letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    auto const inner = [&](char c) {
        return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '-';
    };
    bool const is_null = text == "null" || text == "Null" || text == "NULL";
    return !text.empty() && !is_null && letter(text.front()) &&
           std::all_of(text.begin(), text.end(), inner);
}

}  // namespace

std::string written(std::string const& text)
{
    if (is_plain(text))
    {
        return text;
    }
    std::string quoted = "\"";
    for (char const c : text)
    {
        auto const byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
        {
            quoted += '\\';
            quoted += c;
        }
        else if (byte < 0x20 || byte == 0x7f)
        {
            quoted += fmt::format("\\x{:02x}", byte);
        }
        else
        {
            quoted += c;
        }
    }
    return quoted + '"';
}

}  // namespace tessera
