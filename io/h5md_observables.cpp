#include "io/h5md_observables.hpp"

#include <algorithm>
#include <string>

#include "engine/errors.hpp"
#include "io/hdf5_attributes.hpp"
#include "io/hdf5_numbers.hpp"

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

ObservableSeries ObservableSeries::create(Handle const& file, Observables const& sample)
{
    ObservableSeries series;
    write_attribute(create_group(file, "observables"), "dimension", std::int32_t{3});
    std::size_t const count = sample.tail ? column_count : column_count_without_tail;
    for (std::size_t column = 0; column < count; ++column)
    {
        series.values_.push_back(
            create_observable(file, columns[column].name, H5T_IEEE_F64LE, {}, {scalar_chunk_rows}));
    }
    series.particle_number_ =
        create_observable(file, "particle_number", H5T_STD_I64LE, {}, {scalar_chunk_rows});
    series.pressure_tensor_ = create_observable(file, "pressure_tensor", H5T_IEEE_F64LE, {3, 3},
                                                {tensor_chunk_rows, 3, 3});
    return series;
}

ObservableSeries ObservableSeries::open(Handle const& file, std::int64_t committed)
{
    ObservableSeries series;
    Handle const group = open_group(file, "observables");
    bool const tail = exists(group, columns[column_count - 1].name);
    for (std::size_t column = 0; column < (tail ? column_count : column_count_without_tail);
         ++column)
    {
        series.values_.push_back(
            Series::open(group, std::string(columns[column].name) + "/value", H5T_IEEE_F64LE, {}));
        series.values_.back().require_rows(static_cast<hsize_t>(committed));
    }
    series.particle_number_ = Series::open(group, "particle_number/value", H5T_STD_I64LE, {});
    series.particle_number_->require_rows(static_cast<hsize_t>(committed));
    series.pressure_tensor_ = Series::open(group, "pressure_tensor/value", H5T_IEEE_F64LE, {3, 3});
    series.pressure_tensor_->require_rows(static_cast<hsize_t>(committed));
    return series;
}

void ObservableSeries::append(Observables const& observables, std::int64_t particle_count,
                              double density)
{
    if (observables.tail.has_value() != (values_.size() == column_count))
    {
        throw IoError("the file and the run differ in whether there are tail terms.");
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
    particle_number_->truncate(frames);
    pressure_tensor_->truncate(frames);
}

ThermoSeries::ThermoSeries(Handle const& group)
    : step_(Series::open(group, "step", H5T_STD_I64LE, {}))
{
    Observables sample;
    if (exists(group, "tail_pressure"))
    {
        sample.tail.emplace();
    }
    for (ThermoColumn const& column : thermo_columns(sample))
    {
        values_.push_back(Series::open(group, std::string(column.name), H5T_IEEE_F64LE, {}));
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
    for (ThermoColumn const& column : thermo_columns(sample))
    {
        Series::create(group, std::string(column.name), H5T_IEEE_F64LE, {}, {scalar_chunk_rows},
                       Compression::none);
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
    for (Series const& values : values_)
    {
        rows = std::min(rows, values.rows());
    }
    auto const end = steps_.begin() + static_cast<std::ptrdiff_t>(rows);
    auto const kept =
        static_cast<hsize_t>(std::upper_bound(steps_.begin(), end, last_step) - steps_.begin());
    step_.truncate(kept);
    for (Series& values : values_)
    {
        values.truncate(kept);
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
    auto const columns = thermo_columns(buffer_.front());
    for (std::size_t column = 0; column < std::min(columns.size(), values_.size()); ++column)
    {
        std::transform(buffer_.begin(), buffer_.end(), values.begin(), columns[column].value);
        values_[column].append(native_type<double>(), values.data(), rows);
    }
    std::vector<std::int64_t> steps(rows);
    std::transform(buffer_.begin(), buffer_.end(), steps.begin(),
                   [](Observables const& o) { return o.step; });
    step_.append(native_type<std::int64_t>(), steps.data(), rows);
    buffer_.clear();
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
