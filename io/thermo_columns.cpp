#include "io/thermo_columns.hpp"

namespace tessera
{

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
                               return o.tail->energy;
                           }});
        columns.push_back({"tail_pressure", [](O const& o) -> Value {
                               return o.tail->pressure;
                           }});
    }
    return columns;
}

}  // namespace tessera
