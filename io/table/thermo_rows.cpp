#include "io/table/thermo_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/table/columns.hpp"

namespace tessera
{
namespace
{

using Fields = std::vector<std::optional<double>>;

/// The fields of a row after its step; an empty one has no value.
Fields fields_of(std::string_view line)
{
    Fields fields;
    for (std::size_t comma = line.find(','); comma != std::string_view::npos;)
    {
        std::size_t const first = comma + 1;
        comma = line.find(',', first);
        std::string_view const text = line.substr(first, comma - first);
        double value = 0.0;
        auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        bool const right = error == std::errc() && end == text.data() + text.size();
        fields.push_back(right ? std::optional(value) : std::nullopt);
    }
    return fields;
}

/// By the columns of the file.
Observables observables_of(std::int64_t step, Fields const& fields,
                           std::vector<Column> const& columns)
{
    Observables row;
    row.step = step;
    for (std::size_t place = 0; place < std::min(fields.size(), columns.size()); ++place)
    {
        if (fields[place])
        {
            columns[place].set(row, *fields[place]);
        }
    }
    return row;
}

}  // namespace

void for_each_thermo_row(std::filesystem::path const& path, std::int64_t last_step,
                         Observables const& quantities,
                         std::function<void(Observables const&)> const& use)
{
    std::vector<Column> const columns = thermo_columns(quantities);
    std::ifstream file(path);
    if (!file)
    {
        throw IoError(fmt::format("{}: cannot be read; check its permissions", path.string()));
    }
    for (std::string line; std::getline(file, line);)
    {
        std::int64_t step = 0;
        auto const [end, error] = std::from_chars(line.data(), line.data() + line.size(), step);
        // the header, comments, and what a kill left of a last row
        if (error != std::errc() || *end != ',')
        {
            continue;
        }
        if (step > last_step)
        {
            return;
        }
        use(observables_of(step, fields_of(line), columns));
    }
}

}  // namespace tessera
