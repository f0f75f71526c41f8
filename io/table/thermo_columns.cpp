#include "io/table/thermo_columns.hpp"

#include "engine/config/errors.hpp"

namespace tessera
{

namespace
{

TailCorrection const& tail_of(Observables const& sample)
{
    if (!sample.tail)
    {
        throw IoError("the columns of the tail correction are there, but the run has none of it");
    }
    return *sample.tail;
}

}  // namespace

std::vector<ThermoColumn> thermo_columns(Observables const& sample)
{
    using O = Observables;
    using Value = std::optional<double>;
    std::vector<ThermoColumn> columns{
        {"time",
         [](O const& o) -> Value {
             return o.time;
         }},
        {"temperature",
         [](O const& o) -> Value {
             return o.temperature;
         }},
        {"pressure",
         [](O const& o) -> Value {
             return o.pressure;
         }},
        {"potential_energy_per_particle",
         [](O const& o) -> Value {
             return o.potential_energy;
         }},
        {"kinetic_energy_per_particle",
         [](O const& o) -> Value {
             return o.kinetic_energy;
         }},
        {"total_energy_per_particle",
         [](O const& o) -> Value {
             return o.total_energy;
         }},
    };
    if (sample.tail)
    {
        columns.push_back({"tail_energy_per_particle", [](O const& o) -> Value {
                               return tail_of(o).energy;
                           }});
        columns.push_back({"tail_pressure", [](O const& o) -> Value {
                               return tail_of(o).pressure;
                           }});
    }
    return columns;
}

std::string thermo_header(TailColumns tail)
{
    Observables sample;
    if (tail == TailColumns::present)
    {
        sample.tail.emplace();
    }
    std::string header = "step";
    for (ThermoColumn const& column : thermo_columns(sample))
    {
        header += ',';
        header += column.name;
    }
    return header;
}

}  // namespace tessera
