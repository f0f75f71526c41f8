#include "io/thermo_log.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string_view>

#include "engine/errors.hpp"
#include "io/durable_file.hpp"
#include "io/output_file.hpp"
#include "io/progress.hpp"
#include "io/thermo_columns.hpp"

namespace tessera
{

namespace
{

constexpr int step_width = 12;
constexpr int column_width = 13;

std::string csv_header(Observables const& observables)
{
    std::string header = "step";
    for (ThermoColumn const& column : thermo_columns(observables))
    {
        header += ',';
        header += column.name;
    }
    return header;
}

std::string short_name(std::string_view name)
{
    constexpr std::string_view suffix = "_per_particle";
    if (name.ends_with(suffix))
    {
        name.remove_suffix(suffix.size());
        std::string const first(name.substr(0, name.find('_')));
        return first + (name.find("tail") == 0 ? "_E/N" : "/N");
    }
    return std::string(name);
}

/// What a resumed run keeps of a CSV file.
struct Kept
{
    std::string header;
    std::size_t bytes = 0;
    std::optional<std::int64_t> last_step;
};

Kept rows_up_to(std::string_view text, std::int64_t last_step)
{
    Kept kept;
    std::size_t end = 0;
    for (std::size_t first = 0; (end = text.find('\n', first)) != std::string_view::npos;
         first = end + 1)
    {
        std::string_view const line = text.substr(first, end - first);
        if (first == 0)
        {
            kept.header = std::string(line);
        }
        else
        {
            std::int64_t step = 0;
            auto const [stop, error] =
                std::from_chars(line.data(), line.data() + line.size(), step);
            bool const is_row = error == std::errc() && stop != line.data() + line.size() &&
                                *stop == ',' && (!kept.last_step || step > *kept.last_step);
            if (!is_row || step > last_step)
            {
                break;
            }
            kept.last_step = step;
        }
        kept.bytes = end + 1;
    }
    return kept;
}

}  // namespace

ThermoLog::ThermoLog(std::filesystem::path path, Table table)
    : path_(std::move(path)), table_(table)
{
}

ThermoLog::ThermoLog(std::filesystem::path path, Table table, bool overwrite)
    : ThermoLog(std::move(path), table)
{
    if (!path_.empty())
    {
        make_way(path_, overwrite);
        csv_.emplace(path_, TextOutput::Mode::append);
    }
}

ThermoLog ThermoLog::resume(std::filesystem::path path, Table table, std::int64_t last_step)
{
    ThermoLog log(std::move(path), table);
    if (log.path_.empty())
    {
        return log;
    }
    if (std::filesystem::exists(log.path_))
    {
        auto const bytes = read_bytes(log.path_);
        Kept kept =
            rows_up_to({reinterpret_cast<char const*>(bytes.data()), bytes.size()}, last_step);
        std::error_code error;
        std::filesystem::resize_file(log.path_, kept.bytes, error);
        if (error)
        {
            throw IoError(fmt::format("cannot shorten {} to step {}: {}.", log.path_.string(),
                                      last_step, error.message()));
        }
        log.header_ = std::move(kept.header);
        log.last_step_ = kept.last_step;
    }
    log.csv_.emplace(log.path_, TextOutput::Mode::append);
    return log;
}

void ThermoLog::write_csv(Observables const& observables)
{
    std::string const header = csv_header(observables);
    if (header_.empty())
    {
        csv_->print("{}\n", header);
        header_ = header;
    }
    if (header != header_)
    {
        throw IoError(
            fmt::format("cannot continue {}: its columns are {}, this run has {}. Name "
                        "another file in output.thermo.",
                        path_.string(), header_, header));
    }
    csv_->print("{}", observables.step);
    for (ThermoColumn const& column : thermo_columns(observables))
    {
        std::optional<double> const value = column.value(observables);
        csv_->print(",{}", value ? fmt::format("{}", *value) : "");
    }
    csv_->print("\n");
    csv_->flush();
}

void ThermoLog::write(Observables const& observables)
{
    if (last_step_ && observables.step <= *last_step_)
    {
        return;
    }
    last_step_ = observables.step;
    if (csv_)
    {
        write_csv(observables);
    }
    if (table_ == Table::show)
    {
        clear_progress_line();
        if (!table_started_)
        {
            std::fputs((thermo_table_heading(observables) + '\n').c_str(), stdout);
            table_started_ = true;
        }
        // a reader that left (head, a closed terminal) is no reason to end a run
        std::fputs((thermo_table_row(observables) + '\n').c_str(), stdout);
        std::fflush(stdout);
    }
}

void ThermoLog::close()
{
    if (csv_)
    {
        csv_->close();
    }
}

std::string thermo_table_heading(Observables const& observables)
{
    std::string heading = fmt::format("{:>{}}", "step", step_width);
    for (ThermoColumn const& column : thermo_columns(observables))
    {
        heading += fmt::format(" {:>{}}", short_name(column.name), column_width);
    }
    return heading;
}

std::string thermo_table_row(Observables const& observables)
{
    std::string row = fmt::format("{:>{}}", observables.step, step_width);
    for (ThermoColumn const& column : thermo_columns(observables))
    {
        std::optional<double> const value = column.value(observables);
        row += value ? fmt::format(" {:>{}.7g}", *value, column_width)
                     : fmt::format(" {:>{}}", "-", column_width);
    }
    return row;
}

}  // namespace tessera
