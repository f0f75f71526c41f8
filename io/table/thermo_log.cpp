#include "io/table/thermo_log.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>

#include "engine/config/errors.hpp"
#include "io/files/durable_file.hpp"
#include "io/files/progress.hpp"
#include "io/files/standard_streams.hpp"
#include "io/files/system_error.hpp"

namespace tessera
{

namespace
{

constexpr int step_width = 12;
constexpr int column_width = 13;

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

/// The digest with one more line, header or row, that has no line end.
RowDigest with_line(RowDigest digest, std::string_view line, bool is_row)
{
    digest.rows += is_row ? 1 : 0;
    digest.hash = XXH3_64bits_withSeed(line.data(), line.size(), digest.hash);
    return digest;
}

bool is_comment(std::string_view line)
{
    return line.empty() || line.front() == '#';
}

/// The step of a row of `columns` finite numbers or empty fields; nothing if the line is none.
std::optional<std::int64_t> step_of(std::string_view line, std::ptrdiff_t columns)
{
    std::int64_t step = 0;
    char const* const end = line.data() + line.size();
    auto [place, error] = std::from_chars(line.data(), end, step);
    for (std::ptrdiff_t column = 1; error == std::errc() && column < columns; ++column)
    {
        double value = 0.0;
        if (place == end || *place != ',')
        {
            return std::nullopt;
        }
        ++place;
        if (place == end || *place == ',')
        {
            continue;
        }
        auto const [next, fault] = std::from_chars(place, end, value);
        place = next;
        error = std::isfinite(value) ? fault : std::errc::invalid_argument;
    }
    return error == std::errc() && place == end ? std::optional(step) : std::nullopt;
}

/// What a kill or a full disk leaves behind the last line end: part of a row or of the header.
bool is_torn(std::string_view rest, std::string_view header)
{
    return rest.find_first_not_of("0123456789.,e+-") == std::string_view::npos ||
           header.starts_with(rest);
}

/// The lines of a thermo file, of which those up to a step are kept.
class LogScan
{
public:
    LogScan(std::string header, std::int64_t last_step)
        : header_(std::move(header)),
          columns_(std::count(header_.begin(), header_.end(), ',') + 1),
          last_step_(last_step)
    {
    }

    KeptRows scan(std::string_view text)
    {
        std::size_t end = 0;
        std::size_t first = 0;
        for (; (end = text.find('\n', first)) != std::string_view::npos; first = end + 1)
        {
            ++number_;
            add(text.substr(first, end - first));
            kept_.bytes = dropping_ ? kept_.bytes : end + 1;
        }
        ++number_;
        require(is_torn(text.substr(first), header_), "is no row of this run, and would be lost");
        return kept_;
    }

private:
    void require(bool right, char const* what) const
    {
        if (!right)
        {
            throw IoError(fmt::format("line {} {}", number_, what));
        }
    }

    void add(std::string_view line)
    {
        if (is_comment(line))
        {
            require(!dropping_,
                    "stands behind rows that are made again after the checkpoint, and would be "
                    "lost with them");
            return;
        }
        if (kept_.header.empty())
        {
            require(line == header_, "is not the header of this run's thermo file");
            kept_.header = line;
            kept_.digest = with_line(kept_.digest, line, false);
            return;
        }
        auto const step = step_of(line, columns_);
        require(step.has_value(), "is no row of this run");
        require(!seen_ || *step > *seen_, "has a step that does not come after the one before it");
        seen_ = step;
        dropping_ = *step > last_step_;
        if (!dropping_)
        {
            kept_.digest = with_line(kept_.digest, line, true);
            kept_.last_step = step;
        }
    }

    std::string header_;
    std::ptrdiff_t columns_;
    std::int64_t last_step_;
    KeptRows kept_;
    std::optional<std::int64_t> seen_;
    std::int64_t number_ = 0;
    bool dropping_ = false;
};

/// Before a large file is read whole, whether it can be a thermo file at all.
void check_start(std::filesystem::path const& path, std::string_view header)
{
    std::ifstream file(path, std::ios::binary);
    std::string start(header.size(), '\0');
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    start.resize(static_cast<std::size_t>(file.gcount()));
    bool const comment = !start.empty() && (start.front() == '#' || start.front() == '\n');
    if (!comment && !header.starts_with(start))
    {
        throw IoError("line 1 is not the header of this run's thermo file");
    }
}

}  // namespace

ThermoLog::ThermoLog(std::filesystem::path path, Table table)
    : path_(std::move(path)), table_(table)
{
}

ThermoLog::ThermoLog(std::filesystem::path path, Table table, bool overwrite)
    : ThermoLog(std::move(path), table)
{
    if (path_.empty())
    {
        return;
    }
    make_way(path_, overwrite, OutputKind::text);
    bool const stream = is_stream(path_);
    csv_.emplace(path_, stream ? TextOutput::Mode::append : TextOutput::Mode::create);
    if (!stream)
    {
        watch_.emplace(path_);
    }
}

KeptRows ThermoLog::check(std::filesystem::path const& path, Observables const& quantities,
                          std::int64_t last_step, std::optional<RowDigest> const& expected)
{
    if (is_stream(path))
    {
        return {};
    }
    try
    {
        std::string const header = thermo_header(quantities);
        check_start(path, header);
        auto const bytes = read_bytes(path);
        KeptRows const kept =
            LogScan(header, last_step)
                .scan({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
        if (expected && kept.digest != *expected)
        {
            throw IoError(fmt::format(
                "its {} rows up to step {} are not the {} that the run has written: rows were "
                "added, changed or lost, or it is another run's",
                kept.digest.rows, last_step, expected->rows));
        }
        return kept;
    }
    catch (IoError const& error)
    {
        throw IoError(
            fmt::format("cannot continue {}: {}. It is untouched: put it right, or give another "
                        "output.thermo.file, or replace it with --set output.overwrite=true.",
                        path.string(), error.what()));
    }
}

ThermoLog ThermoLog::resume(std::filesystem::path path, Table table, KeptRows const& kept)
{
    ThermoLog log(std::move(path), table);
    bool const stream = is_stream(log.path_);
    if (!stream)
    {
        std::error_code error;
        std::filesystem::resize_file(log.path_, kept.bytes, error);
        if (error)
        {
            throw IoError(fmt::format("cannot shorten {} to {} bytes: {}.", log.path_.string(),
                                      kept.bytes, error.message()));
        }
    }
    log.header_ = kept.header;
    log.last_step_ = kept.last_step;
    log.digest_ = kept.digest;
    log.csv_.emplace(log.path_, TextOutput::Mode::append);
    if (!stream)
    {
        log.watch_.emplace(log.path_);
    }
    return log;
}

void ThermoLog::write_csv(Observables const& observables)
{
    RowDigest digest = digest_;
    std::string const header = thermo_header(observables);
    if (header_.empty())
    {
        digest = with_line(digest, header, false);
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
    std::string row = fmt::format("{}", observables.step);
    for (Column const& column : thermo_columns(observables))
    {
        std::optional<double> const value = column.value(observables);
        fmt::format_to(std::back_inserter(row), ",{}", value ? fmt::format("{}", *value) : "");
    }
    csv_->print("{}\n", row);
    csv_->flush();
    digest_ = with_line(digest, row, true);
    if (watch_)
    {
        watch_->check();
    }
}

void ThermoLog::print_table(Observables const& observables)
{
    clear_progress_line();
    std::string text = table_started_ ? "" : thermo_table_heading(observables) + '\n';
    text += thermo_table_row(observables) + '\n';
    table_started_ = true;
    // a reader that left (head, a closed terminal) is no reason to lose a simulation
    if (!print_out(text))
    {
        table_failed_ = true;
        say("the table can no longer be printed; the run goes on and will end with code 1");
    }
}

void ThermoLog::write(Observables const& observables)
{
    if (last_step_ && observables.step <= *last_step_)
    {
        return;
    }
    if (csv_)
    {
        write_csv(observables);
    }
    last_step_ = observables.step;
    if (table_ == Table::show && !table_failed_)
    {
        print_table(observables);
    }
}

void ThermoLog::sync()
{
    if (csv_)
    {
        csv_->sync();
    }
}

void ThermoLog::close()
{
    if (csv_)
    {
        csv_->close();
    }
    if (watch_)
    {
        watch_->check();
    }
}

std::optional<RowDigest> ThermoLog::digest() const
{
    return watch_ ? std::optional(digest_) : std::nullopt;
}

std::string thermo_table_heading(Observables const& observables)
{
    std::string heading = fmt::format("{:>{}}", "step", step_width);
    for (Column const& column : thermo_columns(observables))
    {
        heading += fmt::format(" {:>{}}", short_name(column.thermo), column_width);
    }
    return heading;
}

std::string thermo_table_row(Observables const& observables)
{
    std::string row = fmt::format("{:>{}}", observables.step, step_width);
    for (Column const& column : thermo_columns(observables))
    {
        std::optional<double> const value = column.value(observables);
        row += value ? fmt::format(" {:>{}.7g}", *value, column_width)
                     : fmt::format(" {:>{}}", "-", column_width);
    }
    return row;
}

}  // namespace tessera
