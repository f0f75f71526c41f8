#include "io/table/columns.hpp"

#include <algorithm>
#include <iterator>

namespace tessera
{
namespace
{

using O = Observables;
using Value = std::optional<double>;

template <double O::*member>
constexpr Column always(std::string_view thermo, std::string_view h5md)
{
    return {thermo, h5md, nullptr, [](O const& o) -> Value { return o.*member; },
            [](O& o, double value) {
                o.*member = value;
            }};
}

/// In every row, empty where there is no volume.
template <std::optional<double> O::*member>
constexpr Column of_volume(std::string_view thermo, std::string_view h5md)
{
    return {thermo, h5md, nullptr, [](O const& o) { return o.*member; },
            [](O& o, double value) {
                o.*member = value;
            }};
}

template <double TailCorrection::*member>
constexpr Column of_tail(std::string_view thermo, std::string_view h5md)
{
    return {thermo, h5md, [](O const& o) { return o.tail.has_value(); },
            [](O const& o) { return o.tail ? Value((*o.tail).*member) : Value(); },
            [](O& o, double value) {
                o.tail = o.tail.value_or(TailCorrection{});
                (*o.tail).*member = value;
            }};
}

template <PairObservable which>
constexpr Column of_pairs(std::string_view name)
{
    return {name, name, [](O const& o) { return o.pair_mean(which).has_value(); },
            [](O const& o) { return o.pair_mean(which); },
            [](O& o, double value) {
                o.pair_mean(which) = value;
            }};
}

constexpr Column table[] = {
    always<&O::time>("time", ""),
    always<&O::temperature>("temperature", "temperature"),
    of_volume<&O::pressure>("pressure", "pressure"),
    always<&O::potential_energy>("potential_energy_per_particle", "potential_energy"),
    always<&O::kinetic_energy>("kinetic_energy_per_particle", "kinetic_energy"),
    always<&O::total_energy>("total_energy_per_particle", "internal_energy"),
    of_volume<&O::density>("", "density"),
    of_tail<&TailCorrection::energy>("tail_energy_per_particle", "tail_energy"),
    of_tail<&TailCorrection::pressure>("tail_pressure", "tail_pressure"),
    of_pairs<PairObservable::coordination>("coordination_number"),
};

}  // namespace

std::span<Column const> columns()
{
    return table;
}

std::vector<Column> thermo_columns(Observables const& quantities)
{
    std::vector<Column> chosen;
    std::copy_if(std::begin(table), std::end(table), std::back_inserter(chosen),
                 [&](Column const& column) {
                     return !column.thermo.empty() &&
                            (column.present == nullptr || column.present(quantities));
                 });
    return chosen;
}

std::string thermo_header(Observables const& quantities)
{
    std::string header = "step";
    for (Column const& column : thermo_columns(quantities))
    {
        header += ',';
        header += column.thermo;
    }
    return header;
}

}  // namespace tessera
