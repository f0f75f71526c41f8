#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/observables.hpp"
#include "io/text_output.hpp"

namespace tessera
{

/// The thermo rows of a run: a table on stdout and a CSV file with the columns of
/// io/thermo_columns.hpp after `step`. Each row is handed to the system at once; numbers in the
/// file read back to the same bits. Members throw IoError.
class ThermoLog
{
public:
    enum class Table
    {
        show,
        hide
    };

    /// A new file; an existing one is refused unless `overwrite`. An empty path: no file.
    ThermoLog(std::filesystem::path path, Table table, bool overwrite);

    /// Goes on with a file: keeps its rows of steps <= `last_step`, drops the others and a row that
    /// a killed run left unfinished. A file that is missing is started.
    static ThermoLog resume(std::filesystem::path path, Table table, std::int64_t last_step);

    /// Adds a row; one whose step is there already is skipped.
    void write(Observables const& observables);
    void close();

private:
    ThermoLog(std::filesystem::path path, Table table);
    void write_csv(Observables const& observables);

    std::filesystem::path path_;
    Table table_;
    bool table_started_ = false;
    std::optional<TextOutput> csv_;
    std::string header_;  ///< that of the file; empty: none yet
    std::optional<std::int64_t> last_step_;
};

/// The table's heading and a row of it, without line end.
std::string thermo_table_heading(Observables const& observables);
std::string thermo_table_row(Observables const& observables);

}  // namespace tessera
