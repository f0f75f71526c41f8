#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/state/observables.hpp"

namespace tessera
{

/// Whether observables come with the tail terms of the potential.
enum class TailColumns
{
    absent,
    present
};

/// A column of the thermo output after `step`: what it is called and what it holds, nothing where
/// the system has no such quantity.
struct ThermoColumn
{
    std::string_view name;
    std::optional<double> (*value)(Observables const&);
};

/// The columns in their order: time, temperature, pressure, potential_energy_per_particle,
/// kinetic_energy_per_particle, total_energy_per_particle; then tail_energy_per_particle and
/// tail_pressure if `sample` has a tail correction. A value throws IoError for a sample without the
/// tail terms that its column wants.
std::vector<ThermoColumn> thermo_columns(Observables const& sample);

/// "step,time,temperature,...": the first line of a thermo file.
std::string thermo_header(TailColumns tail);

}  // namespace tessera
