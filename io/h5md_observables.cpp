#include "io/h5md_observables.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "engine/errors.hpp"
#include "io/hdf5_attributes.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr hsize_t tensor_chunk_rows = 64;

using Value = std::optional<double>;

/// What a column shows, given the observables and the number density; nothing where the system has
/// no such quantity, which is then in no frame.
struct ObservableColumn
{
    char const* name;
    Value (*value)(Observables const&, double density);
};

constexpr ObservableColumn columns[] = {
    {"temperature",
     [](Observables const& o, double) -> Value {
         return o.temperature;
     }},
    {"pressure",
     [](Observables const& o, double) -> Value {
         return o.pressure;
     }},
    {"potential_energy",
     [](Observables const& o, double) -> Value {
         return o.potential_energy;
     }},
    {"kinetic_energy",
     [](Observables const& o, double) -> Value {
         return o.kinetic_energy;
     }},
    {"internal_energy",
     [](Observables const& o, double) -> Value {
         return o.total_energy;
     }},
    {"density",
     [](Observables const& o, double density) -> Value {
         return o.pressure ? Value(density) : Value();
     }},
    {"tail_energy",
     [](Observables const& o, double) -> Value {
         return o.tail ? Value(o.tail->energy) : Value();
     }},
    {"tail_pressure",
     [](Observables const& o, double) -> Value {
         return o.tail ? Value(o.tail->pressure) : Value();
     }},
};
/// Throws IoError: a file that was begun with a quantity holds it in every row.
double required(Value const& value)
{
    if (!value)
    {
        throw IoError("it holds a quantity that this run does not have.");
    }
    return *value;
}

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

ObservableSeries ObservableSeries::create(Handle const& file, Observables const& sample)
{
    ObservableSeries series;
    write_attribute(create_group(file, "observables"), "dimension", std::int32_t{3});
    for (ObservableColumn const& column : columns)
    {
        if (column.value(sample, 0.0))
        {
            series.values_.emplace_back(
                column.value,
                create_observable(file, column.name, H5T_IEEE_F64LE, {}, {scalar_chunk_rows}));
        }
    }
    series.particle_number_ =
        create_observable(file, "particle_number", H5T_STD_I64LE, {}, {scalar_chunk_rows});
    if (sample.pressure_tensor)
    {
        series.pressure_tensor_ = create_observable(file, "pressure_tensor", H5T_IEEE_F64LE, {3, 3},
                                                    {tensor_chunk_rows, 3, 3});
    }
    return series;
}

ObservableSeries ObservableSeries::open(Handle const& file)
{
    ObservableSeries series;
    Handle const group = open_group(file, "observables");
    for (ObservableColumn const& column : columns)
    {
        if (exists(group, column.name))
        {
            series.values_.emplace_back(column.value,
                                        Series::open(group, std::string(column.name) + "/value"));
        }
    }
    series.particle_number_ = Series::open(group, "particle_number/value");
    if (exists(group, "pressure_tensor"))
    {
        series.pressure_tensor_ = Series::open(group, "pressure_tensor/value");
    }
    return series;
}

void ObservableSeries::append(Observables const& observables, std::int64_t particle_count,
                              double density)
{
    for (auto& [value, series] : values_)
    {
        series.append(required(value(observables, density)));
    }
    particle_number_->append(particle_count);
    if (pressure_tensor_)
    {
        required(observables.pressure);
        SymmetricTensor const& p = *observables.pressure_tensor;
        double const rows[3][3] = {{p[0], p[1], p[2]}, {p[1], p[3], p[4]}, {p[2], p[4], p[5]}};
        pressure_tensor_->append(native_type<double>(), rows);
    }
}

void ObservableSeries::truncate(hsize_t frames)
{
    for (auto& [value, series] : values_)
    {
        series.truncate(frames);
    }
    particle_number_->truncate(frames);
    if (pressure_tensor_)
    {
        pressure_tensor_->truncate(frames);
    }
}

ThermoSeries::ThermoSeries(Handle const& group) : step_(Series::open(group, "step"))
{
    Observables with_tail;
    with_tail.tail.emplace();
    for (ThermoColumn const& column : thermo_columns(with_tail))
    {
        if (exists(group, std::string(column.name)))
        {
            values_.emplace_back(column.value, Series::open(group, std::string(column.name)));
        }
    }
    if (step_.rows() > 0)
    {
        std::int64_t last = 0;
        read_rows(step_.dataset(), native_type<std::int64_t>(), step_.rows() - 1, 1, &last);
        last_step_ = last;
    }
}

ThermoSeries ThermoSeries::create(Handle const& file, Observables const& sample)
{
    Handle const group = create_group(file, "parameters/thermo");
    Series::create(group, "step", H5T_STD_I64LE, {}, {scalar_chunk_rows}, Compression::none);
    for (ThermoColumn const& column : thermo_columns(sample))
    {
        if (column.value(sample))
        {
            Series::create(group, std::string(column.name), H5T_IEEE_F64LE, {}, {scalar_chunk_rows},
                           Compression::none);
        }
    }
    return ThermoSeries(group);
}

ThermoSeries ThermoSeries::open(Handle const& file)
{
    return ThermoSeries(open_group(file, "parameters/thermo"));
}

void ThermoSeries::truncate_after(std::int64_t last_step)
{
    hsize_t rows = step_.rows();
    for (auto const& [value, series] : values_)
    {
        rows = std::min(rows, series.rows());
    }
    std::vector<std::int64_t> steps(rows);
    read_rows(step_.dataset(), native_type<std::int64_t>(), 0, rows, steps.data());
    auto const kept = static_cast<hsize_t>(std::upper_bound(steps.begin(), steps.end(), last_step) -
                                           steps.begin());
    step_.truncate(kept);
    for (auto& [value, series] : values_)
    {
        series.truncate(kept);
    }
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

void ThermoSeries::flush()
{
    if (buffer_.empty())
    {
        return;
    }
    hsize_t const rows = buffer_.size();
    std::vector<double> values(rows);
    for (auto& [value, series] : values_)
    {
        std::transform(buffer_.begin(), buffer_.end(), values.begin(),
                       [&](Observables const& o) { return required(value(o)); });
        series.append(native_type<double>(), values.data(), rows);
    }
    std::vector<std::int64_t> steps(rows);
    std::transform(buffer_.begin(), buffer_.end(), steps.begin(),
                   [](Observables const& o) { return o.step; });
    step_.append(native_type<std::int64_t>(), steps.data(), rows);
    buffer_.clear();
}

RdfSeries::RdfSeries(Handle const& group)
    : radius_(Series::open(group, "r")), value_(Series::open(group, "value"))
{
}

RdfSeries RdfSeries::create(Handle const& file)
{
    Handle const group = create_group(file, "parameters/rdf");
    for (char const* name : {"r", "value"})
    {
        Series::create(group, name, H5T_IEEE_F64LE, {}, {scalar_chunk_rows}, Compression::none);
    }
    return RdfSeries(group);
}

RdfSeries RdfSeries::open(Handle const& file)
{
    return RdfSeries(open_group(file, "parameters/rdf"));
}

void RdfSeries::write(std::vector<double> const& radius, std::vector<double> const& value)
{
    radius_.replace(native_type<double>(), radius.data(), radius.size());
    value_.replace(native_type<double>(), value.data(), value.size());
}

void RdfSeries::truncate()
{
    radius_.truncate(0);
    value_.truncate(0);
}

}  // namespace tessera::hdf5
