#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/state/observables.hpp"
#include "io/files/output_file.hpp"
#include "io/files/run_info.hpp"
#include "io/table/columns.hpp"
#include "io/text/output.hpp"

namespace tessera
{

/// What a run that goes on keeps of a thermo file.
struct KeptRows
{
    std::string header;  ///< empty: not there yet
    std::uintmax_t bytes = 0;
    RowDigest digest;
    std::optional<std::int64_t> last_step;
};

/// The thermo rows of a run: a table on stdout and a CSV file with the columns of
/// io/table/columns.hpp after `step`. Each row is handed to the system at once; numbers in
/// the file read back to the same bits. Members throw IoError. A table that cannot be printed is
/// left, and the file goes on.
class ThermoLog
{
public:
    enum class Table
    {
        show,
        hide
    };

    /// A new file; an existing one is refused unless `overwrite`. An empty path: no file. A device
    /// or a pipe that is there gets the rows as they come.
    ThermoLog(std::filesystem::path path, Table table, bool overwrite);

    /// What of a file is this run's up to `last_step`. Rows of later steps are not, nor a row that
    /// a killed run left unfinished; lines that are empty or start with # are kept. Changes
    /// nothing. Throws IoError if the file is another's: a header, a line that is no row, steps
    /// that do not ascend, or rows other than `expected`; and where lines that are no rows would be
    /// lost.
    static KeptRows check(std::filesystem::path const& path, Observables const& quantities,
                          std::int64_t last_step, std::optional<RowDigest> const& expected);

    /// Goes on with a file that was checked: cuts what is not kept.
    static ThermoLog resume(std::filesystem::path path, Table table, KeptRows const& kept);

    /// Adds a row; one whose step is there already is skipped.
    void write(Observables const& observables);
    /// Has the disk hold the rows: before a checkpoint tells of them.
    void sync();
    void close();

    /// What the file holds, for checkpoints; empty without a file that keeps it.
    std::optional<RowDigest> digest() const;
    /// Whether printing the table failed.
    bool table_failed() const
    {
        return table_failed_;
    }

private:
    ThermoLog(std::filesystem::path path, Table table);
    void write_csv(Observables const& observables);
    void print_table(Observables const& observables);

    std::filesystem::path path_;
    Table table_;
    bool table_started_ = false, table_failed_ = false;
    std::optional<TextOutput> csv_;
    std::optional<FileWatch> watch_;  ///< none for a device or a pipe
    std::string header_;              ///< that of the file; empty: none yet
    RowDigest digest_;
    std::optional<std::int64_t> last_step_;
};

/// The table's heading and a row of it, without line end.
std::string thermo_table_heading(Observables const& observables);
std::string thermo_table_row(Observables const& observables);

}  // namespace tessera
