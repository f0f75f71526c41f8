#include "io/h5md_observables.hpp"

#include <algorithm>
#include <string>

#include "io/hdf5_attributes.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr hsize_t tensor_chunk_rows = 64;

/// What a column shows, given the observables and the number density.
struct ObservableColumn
{
    char const* name;
    double (*value)(Observables const&, double density);
};

constexpr ObservableColumn columns[] = {
    {"temperature",
     [](Observables const& o, double) {
         return o.temperature;
     }},
    {"pressure",
     [](Observables const& o, double) {
         return o.pressure;
     }},
    {"potential_energy",
     [](Observables const& o, double) {
         return o.potential_energy;
     }},
    {"kinetic_energy",
     [](Observables const& o, double) {
         return o.kinetic_energy;
     }},
    {"internal_energy",
     [](Observables const& o, double) {
         return o.total_energy;
     }},
    {"density",
     [](Observables const&, double density) {
         return density;
     }},
    {"tail_energy",
     [](Observables const& o, double) {
         return o.tail->energy;
     }},
    {"tail_pressure",
     [](Observables const& o, double) {
         return o.tail->pressure;
     }},
};
constexpr std::size_t column_count = std::size(columns);
constexpr std::size_t column_count_without_tail = column_count - 2;

Series create_observable(Handle const& file, std::string const& name, hid_t type,
                         Shape const& row_shape, Shape const& chunk)
{
    Handle const observables = open_group(file, "observables");
    Handle const group = create_group(observables, name);
    Series series = Series::create(group, "value", type, row_shape, chunk, Compression::none);
    hard_link(file, "particles/all/position/step", group, "step");
    hard_link(file, "particles/all/position/time", group, "time");
    return series;
}

}  // namespace

void ObservableSeries::create(Handle const& file, Observables const& observables)
{
    write_attribute(create_group(file, "observables"), "dimension", std::int32_t{3});
    std::size_t const count = observables.tail ? column_count : column_count_without_tail;
    for (std::size_t column = 0; column < count; ++column)
    {
        values_.push_back(
            create_observable(file, columns[column].name, H5T_IEEE_F64LE, {}, {scalar_chunk_rows}));
    }
    particle_number_ =
        create_observable(file, "particle_number", H5T_STD_I64LE, {}, {scalar_chunk_rows});
    pressure_tensor_ = create_observable(file, "pressure_tensor", H5T_IEEE_F64LE, {3, 3},
                                         {tensor_chunk_rows, 3, 3});
}

ObservableSeries ObservableSeries::open(Handle const& file)
{
    ObservableSeries series;
    if (exists(file, "observables"))
    {
        Handle const group = open_group(file, "observables");
        for (ObservableColumn const& column : columns)
        {
            if (exists(group, column.name))
            {
                series.values_.push_back(Series::open(group, std::string(column.name) + "/value"));
            }
        }
        series.particle_number_ = Series::open(group, "particle_number/value");
        series.pressure_tensor_ = Series::open(group, "pressure_tensor/value");
    }
    return series;
}

void ObservableSeries::append(Handle const& file, Observables const& observables,
                              std::int64_t particle_count, double density)
{
    if (!particle_number_)
    {
        create(file, observables);
    }
    for (std::size_t column = 0; column < values_.size(); ++column)
    {
        values_[column].append(columns[column].value(observables, density));
    }
    particle_number_->append(particle_count);
    SymmetricTensor const& p = observables.pressure_tensor;
    double const rows[3][3] = {{p[0], p[1], p[2]}, {p[1], p[3], p[4]}, {p[2], p[4], p[5]}};
    pressure_tensor_->append(native_type<double>(), rows);
}

void ObservableSeries::truncate(hsize_t frames)
{
    for (Series& series : values_)
    {
        series.truncate(frames);
    }
    if (particle_number_)
    {
        particle_number_->truncate(frames);
        pressure_tensor_->truncate(frames);
    }
}

void ThermoSeries::create(Handle const& file, Observables const& observables)
{
    Handle const thermo = create_group(file, "parameters/thermo");
    step_ =
        Series::create(thermo, "step", H5T_STD_I64LE, {}, {scalar_chunk_rows}, Compression::none);
    for (ThermoColumn const& column : thermo_columns(observables))
    {
        values_.push_back(Series::create(thermo, std::string(column.name), H5T_IEEE_F64LE, {},
                                         {scalar_chunk_rows}, Compression::none));
    }
}

ThermoSeries ThermoSeries::open(Handle const& file, std::int64_t last_step)
{
    ThermoSeries series;
    if (!exists(file, "parameters/thermo"))
    {
        return series;
    }
    Handle const thermo = open_group(file, "parameters/thermo");
    series.step_ = Series::open(thermo, "step");
    hsize_t rows = series.step_->rows();
    Observables with_tail;
    with_tail.tail.emplace();
    for (ThermoColumn const& column : thermo_columns(with_tail))
    {
        if (exists(thermo, std::string(column.name)))
        {
            series.values_.push_back(Series::open(thermo, std::string(column.name)));
            rows = std::min(rows, series.values_.back().rows());
        }
    }
    std::vector<std::int64_t> steps(rows);
    read_rows(series.step_->dataset(), native_type<std::int64_t>(), 0, rows, steps.data());
    // rows that a killed run did not finish read as zeros: they end the ascending steps
    hsize_t kept = 0;
    while (kept < rows && steps[kept] <= last_step && (kept == 0 || steps[kept] > steps[kept - 1]))
    {
        ++kept;
    }
    if (kept > 0)
    {
        series.last_step_ = steps[kept - 1];
    }
    series.step_->truncate(kept);
    for (Series& values : series.values_)
    {
        values.truncate(kept);
    }
    return series;
}

bool ThermoSeries::append(Observables const& observables)
{
    if (!last_step_ || observables.step > *last_step_)
    {
        last_step_ = observables.step;
        buffer_.push_back(observables);
    }
    return buffer_.size() >= scalar_chunk_rows;
}

void ThermoSeries::flush(Handle const& file)
{
    if (buffer_.empty())
    {
        return;
    }
    if (!step_)
    {
        create(file, buffer_.front());
    }
    hsize_t const rows = buffer_.size();
    std::vector<double> values(rows);
    auto const columns = thermo_columns(buffer_.front());
    for (std::size_t column = 0; column < std::min(columns.size(), values_.size()); ++column)
    {
        std::transform(buffer_.begin(), buffer_.end(), values.begin(), columns[column].value);
        values_[column].append(native_type<double>(), values.data(), rows);
    }
    std::vector<std::int64_t> steps(rows);
    std::transform(buffer_.begin(), buffer_.end(), steps.begin(),
                   [](Observables const& o) { return o.step; });
    step_->append(native_type<std::int64_t>(), steps.data(), rows);
    buffer_.clear();
}

}  // namespace tessera::hdf5
