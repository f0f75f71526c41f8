#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/state/observables.hpp"

namespace tessera
{

/// A scalar of a sample in files: one row of the one table of them. Its units are those of
/// engine/state/observables.hpp.
struct Column
{
    std::string_view thermo;  ///< in thermo files, tables and summaries; empty: not there
    std::string_view h5md;    ///< below /observables; empty: not there
    /// Whether the rows of a run whose samples have these quantities have the column; null: all.
    bool (*present)(Observables const& quantities);
    /// Nothing where the system has no such quantity.
    std::optional<double> (*value)(Observables const&);
    void (*set)(Observables&, double);
};

/// Whether the column, of one name everywhere, tells in a file that samples have its quantity.
inline bool tells_of_quantity(Column const& column)
{
    return column.present != nullptr && column.thermo == column.h5md;
}

/// Every column, in the order of files.
std::span<Column const> columns();

/// Those of a thermo file after `step`, for a run whose samples have `quantities`.
std::vector<Column> thermo_columns(Observables const& quantities);

/// "step,time,temperature,...": the first line of a thermo file.
std::string thermo_header(Observables const& quantities);

}  // namespace tessera
