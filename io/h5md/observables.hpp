#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/state/observables.hpp"
#include "io/hdf5/series.hpp"
#include "io/table/columns.hpp"

namespace tessera::hdf5
{

/// The group /observables: flat, energies per particle, one row a frame.
class ObservableSeries
{
public:
    /// The columns that observables like `sample` have a value for. The clock of /particles/all is
    /// there.
    static ObservableSeries create(Handle const& file, Observables const& sample);
    /// Throws IoError unless the columns are those of create(), each with the committed frames.
    static ObservableSeries open(Handle const& file, std::int64_t committed);

    void append(Observables const& observables, std::int64_t particle_count);
    void truncate(hsize_t frames);
    std::vector<Series const*> series() const;

private:
    using Value = std::optional<double> (*)(Observables const&);

    ObservableSeries() = default;

    std::vector<std::pair<Value, Series>> values_;
    std::optional<Series> particle_number_, pressure_tensor_;
};

/// The group /parameters/thermo: one dataset a column of the thermo output, rows buffered.
class ThermoSeries
{
public:
    static ThermoSeries create(Handle const& file, Observables const& sample);
    static ThermoSeries open(Handle const& file);

    /// Keeps the rows with step <= `last_step`; a killed run may have left ragged columns.
    void truncate_after(std::int64_t last_step);

    /// Buffers a row whose step is new; true if the buffer is full and wants a flush().
    bool append(Observables const& observables);
    bool waits() const
    {
        return !buffer_.empty();
    }
    void flush();
    std::vector<Series const*> series() const;

private:
    ThermoSeries(Handle const& file, Handle const& group);

    using Value = std::optional<double> (*)(Observables const&);

    Series step_;
    std::vector<std::pair<Value, Series>> values_;
    std::vector<std::int64_t> steps_;  // that were there when the file was opened
    std::optional<std::int64_t> last_step_;
    std::vector<Observables> buffer_;
};

/// The group /parameters/rdf: r and value, without rows until g(r) is known.
class RdfSeries
{
public:
    static RdfSeries create(Handle const& file);
    static RdfSeries open(Handle const& file);

    void write(std::vector<double> const& radius, std::vector<double> const& value);
    void truncate();
    std::vector<Series const*> series() const
    {
        return {&radius_, &value_};
    }

private:
    explicit RdfSeries(Handle const& group);

    Series radius_, value_;
};

}  // namespace tessera::hdf5
