#include "io/h5md/observables.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "engine/config/errors.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/numbers.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr hsize_t tensor_chunk_rows = 64;

/// Observables with the quantities that `file` must hold, judged by what `group` of it has of
/// what not every run has, and by what /observables has of those that need a volume: one stands for
/// all.
Observables quantities_in(Handle const& file, Handle const& group)
{
    Observables sample;
    for (Column const& column : columns())
    {
        if (tells_of_quantity(column) && exists(group, std::string(column.h5md)))
        {
            column.set(sample, 0.0);
        }
    }
    Handle const observables = open_group(file, "observables");
    if (exists(observables, "pressure") || exists(observables, "pressure_tensor") ||
        exists(observables, "density"))
    {
        sample.pressure = sample.density = 0.0;
        sample.pressure_tensor.emplace();
    }
    return sample;
}

/// Throws IoError: a file that was begun with a quantity holds it in every row.
double required(std::optional<double> const& value)
{
    if (!value)
    {
        throw IoError("it holds a quantity that this run does not have.");
    }
    return *value;
}

bool is_observable(Column const& column, Observables const& quantities)
{
    return !column.h5md.empty() && column.value(quantities);
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
    for (Column const& column : columns())
    {
        if (is_observable(column, sample))
        {
            series.values_.emplace_back(
                column.value, create_observable(file, std::string(column.h5md), H5T_IEEE_F64LE, {},
                                                {scalar_chunk_rows}));
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

ObservableSeries ObservableSeries::open(Handle const& file, std::int64_t committed)
{
    ObservableSeries series;
    Handle const group = open_group(file, "observables");
    Observables const sample = quantities_in(file, group);
    for (Column const& column : columns())
    {
        if (is_observable(column, sample))
        {
            series.values_.emplace_back(
                column.value,
                Series::open(group, std::string(column.h5md) + "/value", H5T_IEEE_F64LE, {}));
            series.values_.back().second.require_rows(static_cast<hsize_t>(committed));
        }
    }
    series.particle_number_ = Series::open(group, "particle_number/value", H5T_STD_I64LE, {});
    series.particle_number_->require_rows(static_cast<hsize_t>(committed));
    if (sample.pressure_tensor)
    {
        series.pressure_tensor_ =
            Series::open(group, "pressure_tensor/value", H5T_IEEE_F64LE, {3, 3});
        series.pressure_tensor_->require_rows(static_cast<hsize_t>(committed));
    }
    return series;
}

void ObservableSeries::append(Observables const& observables, std::int64_t particle_count)
{
    auto const wanted = std::ranges::count_if(
        columns(), [&](Column const& column) { return is_observable(column, observables); });
    if (static_cast<std::size_t>(wanted) != values_.size())
    {
        throw IoError("the file and the run differ in the quantities that samples have.");
    }
    for (auto& [value, series] : values_)
    {
        series.append(required(value(observables)));
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

std::vector<Series const*> ObservableSeries::series() const
{
    std::vector<Series const*> all{&*particle_number_};
    for (auto const& [value, series] : values_)
    {
        all.push_back(&series);
    }
    if (pressure_tensor_)
    {
        all.push_back(&*pressure_tensor_);
    }
    return all;
}

ThermoSeries::ThermoSeries(Handle const& file, Handle const& group)
    : step_(Series::open(group, "step", H5T_STD_I64LE, {}))
{
    Observables const sample = quantities_in(file, group);
    for (Column const& column : thermo_columns(sample))
    {
        if (column.value(sample))
        {
            values_.emplace_back(
                column.value, Series::open(group, std::string(column.thermo), H5T_IEEE_F64LE, {}));
        }
    }
    steps_ = Numbers::open(group, "step").all<std::int64_t>();
    require_ascending(steps_);
    if (!steps_.empty())
    {
        last_step_ = steps_.back();
    }
}

ThermoSeries ThermoSeries::create(Handle const& file, Observables const& sample)
{
    Handle const group = create_group(file, "parameters/thermo");
    Series::create(group, "step", H5T_STD_I64LE, {}, {scalar_chunk_rows}, Compression::none);
    for (Column const& column : thermo_columns(sample))
    {
        if (column.value(sample))
        {
            Series::create(group, std::string(column.thermo), H5T_IEEE_F64LE, {},
                           {scalar_chunk_rows}, Compression::none);
        }
    }
    return {file, group};
}

ThermoSeries ThermoSeries::open(Handle const& file)
{
    return {file, open_group(file, "parameters/thermo")};
}

void ThermoSeries::truncate_after(std::int64_t last_step)
{
    hsize_t rows = step_.rows();
    for (auto const& [value, series] : values_)
    {
        rows = std::min(rows, series.rows());
    }
    auto const end = steps_.begin() + static_cast<std::ptrdiff_t>(rows);
    auto const kept =
        static_cast<hsize_t>(std::upper_bound(steps_.begin(), end, last_step) - steps_.begin());
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
                       [&value = value](Observables const& o) { return required(value(o)); });
        series.append(native_type<double>(), values.data(), rows);
    }
    std::vector<std::int64_t> steps(rows);
    std::transform(buffer_.begin(), buffer_.end(), steps.begin(),
                   [](Observables const& o) { return o.step; });
    step_.append(native_type<std::int64_t>(), steps.data(), rows);
    buffer_.clear();
}

std::vector<Series const*> ThermoSeries::series() const
{
    std::vector<Series const*> all{&step_};
    for (auto const& [value, series] : values_)
    {
        all.push_back(&series);
    }
    return all;
}

RdfSeries::RdfSeries(Handle const& group)
    : radius_(Series::open(group, "r", H5T_IEEE_F64LE, {})),
      value_(Series::open(group, "value", H5T_IEEE_F64LE, {}))
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
