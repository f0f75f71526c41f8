#include "io/table/thermo_rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/errors.hpp"

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

/// In the order of thermo_columns().
Observables observables_of(std::int64_t step, Fields const& fields)
{
    auto const field = [&](std::size_t column) {
        return column < fields.size() ? fields[column] : std::nullopt;
    };
    Observables row;
    row.step = step;
    row.time = field(0).value_or(0.0);
    row.temperature = field(1).value_or(0.0);
    row.pressure = field(2);
    row.potential_energy = field(3).value_or(0.0);
    row.kinetic_energy = field(4).value_or(0.0);
    row.total_energy = field(5).value_or(0.0);
    if (field(6) && field(7))
    {
        row.tail = TailCorrection{};
        row.tail->energy = *field(6);
        row.tail->pressure = *field(7);
    }
    return row;
}

}  // namespace

void for_each_thermo_row(std::filesystem::path const& path, std::int64_t last_step,
                         std::function<void(Observables const&)> const& use)
{
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
        use(observables_of(step, fields_of(line)));
    }
}

}  // namespace tessera
