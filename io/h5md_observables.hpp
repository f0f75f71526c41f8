#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/observables.hpp"
#include "io/hdf5_series.hpp"
#include "io/thermo_columns.hpp"

namespace tessera::hdf5
{

/// The group /observables: flat, energies per particle, one row a frame. Which columns there are
/// shows with the first row, so the datasets are made then.
class ObservableSeries
{
public:
    ObservableSeries() = default;
    /// The datasets of an existing file; none if it has no row yet.
    static ObservableSeries open(Handle const& file);

    void append(Handle const& file, Observables const& observables, std::int64_t particle_count,
                double density);
    void truncate(hsize_t frames);

private:
    void create(Handle const& file, Observables const& observables);

    std::vector<Series> values_;
    std::optional<Series> particle_number_, pressure_tensor_;
};

/// The group /parameters/thermo: one dataset a column of the thermo output, rows buffered.
class ThermoSeries
{
public:
    ThermoSeries() = default;
    /// Keeps the rows with step <= `last_step`; a killed run may have left ragged columns.
    static ThermoSeries open(Handle const& file, std::int64_t last_step);

    /// Buffers a row whose step is new; true if the buffer is full and wants a flush().
    bool append(Observables const& observables);
    void flush(Handle const& file);

private:
    void create(Handle const& file, Observables const& observables);

    std::optional<Series> step_;
    std::vector<Series> values_;
    std::optional<std::int64_t> last_step_;
    std::vector<Observables> buffer_;
};

}  // namespace tessera::hdf5
