#include "io/yaml/nearest_name.hpp"

#include <algorithm>
#include <vector>

namespace tessera
{
namespace
{

/// A word of up to three letters with another letter is another word: nvt is no misspelt nve.
constexpr std::size_t short_word = 3;

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::size_t const other_letter = a.size() > short_word ? 1 : 2;
    std::size_t const columns = b.size() + 1;
    std::vector<std::size_t> table((a.size() + 1) * columns);
    auto const at = [&](std::size_t i, std::size_t j) -> std::size_t& {
        return table[i * columns + j];
    };
    for (std::size_t i = 0; i <= a.size(); ++i)
    {
        for (std::size_t j = 0; j <= b.size(); ++j)
        {
            if (i == 0 || j == 0)
            {
                at(i, j) = i + j;
                continue;
            }
            std::size_t const replaced =
                at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : other_letter);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
            }
        }
    }
    return at(a.size(), b.size());
}

/// True if `part` is one of the path's names, at `position` from its start.
bool has_part(std::string_view path, std::string_view part, std::size_t position)
{
    std::size_t const end = position + part.size();
    return path.substr(position).starts_with(part) &&
           (position == 0 || path[position - 1] == '.') && (end == path.size() || path[end] == '.');
}

}  // namespace

std::string_view nearest_name(std::string_view text, std::span<std::string_view const> names)
{
    std::string_view nearest;
    std::size_t nearest_distance =
        std::max<std::size_t>(1, std::min<std::size_t>(text.size(), 24) / 3) + 1;
    for (std::string_view const name : names)
    {
        // Lengths alone bound the distance, and keep a key of a megabyte from costing time.
        if (text.size() > name.size() + nearest_distance)
        {
            continue;
        }
        std::size_t const distance = edit_distance(text, name);
        if (distance < nearest_distance)
        {
            nearest = name;
            nearest_distance = distance;
        }
    }
    return nearest;
}

std::string section_of_key(std::string_view key, std::span<std::string const> every_key)
{
    std::string sections;
    std::string last;
    for (std::string_view const path : every_key)
    {
        for (std::size_t at = path.find(key); !key.empty() && at != std::string_view::npos;
             at = path.find(key, at + 1))
        {
            std::string const section{path.substr(0, at == 0 ? 0 : at - 1)};
            if (!has_part(path, key, at) || (section == last && !sections.empty()))
            {
                continue;
            }
            last = section;
            sections += sections.empty() ? "" : " or ";
            sections += section.empty() ? "the top level" : "'" + section + "'";
        }
    }
    return sections;
}

std::string list_names(std::span<std::string_view const> names)
{
    std::string list;
    for (std::string_view const name : names)
    {
        list += (list.empty() ? "" : ", ");
        list += name;
    }
    return list;
}

}  // namespace tessera
