#pragma once
/// How the input and the files spell each mode: one table an enum, for reading and writing.

#include <span>
#include <string_view>

#include "engine/config/config.hpp"

namespace tessera
{

template <class E>
struct EnumName
{
    std::string_view name;
    E value;
};

/// The table of an enum; the first name of a value is the one that is written.
template <class E>
struct EnumTable;

template <>
struct EnumTable<LatticeType>
{
    static constexpr EnumName<LatticeType> names[] = {{"sc", LatticeType::sc},
                                                      {"bcc", LatticeType::bcc},
                                                      {"fcc", LatticeType::fcc},
                                                      {"hcp", LatticeType::hcp}};
};

template <>
struct EnumTable<Boundary>
{
    static constexpr EnumName<Boundary> names[] = {{"periodic", Boundary::periodic},
                                                   {"open", Boundary::open}};
    static constexpr std::string_view unavailable[] = {"wall"};
};

template <>
struct EnumTable<PotentialType>
{
    static constexpr EnumName<PotentialType> names[] = {
        {"lennard_jones", PotentialType::lennard_jones}, {"mie", PotentialType::mie}};
    static constexpr std::string_view unavailable[] = {"yukawa", "soft_sphere", "table"};
};

template <>
struct EnumTable<Truncation>
{
    static constexpr EnumName<Truncation> names[] = {{"sharp", Truncation::sharp},
                                                     {"shifted", Truncation::shifted},
                                                     {"force_shifted", Truncation::force_shifted},
                                                     {"switched", Truncation::switched}};
};

template <>
struct EnumTable<Mixing>
{
    static constexpr EnumName<Mixing> names[] = {{"none", Mixing::none},
                                                 {"lorentz_berthelot", Mixing::lorentz_berthelot},
                                                 {"geometric", Mixing::geometric},
                                                 {"waldman_hagler", Mixing::waldman_hagler}};
};

template <>
struct EnumTable<Rebuild>
{
    static constexpr EnumName<Rebuild> names[] = {{"every_step", Rebuild::every_step},
                                                  {"on_displacement", Rebuild::on_displacement}};
};

template <>
struct EnumTable<ForcePath>
{
    static constexpr EnumName<ForcePath> names[] = {{"reordered", ForcePath::reordered},
                                                    {"gather", ForcePath::gather},
                                                    {"shoc", ForcePath::shoc},
                                                    {"auto", ForcePath::automatic}};
};

template <>
struct EnumTable<Precision>
{
    static constexpr EnumName<Precision> names[] = {
        {"mixed", Precision::mixed}, {"double", Precision::double_}, {"single", Precision::single}};
};

template <>
struct EnumTable<ChunkFormat>
{
    static constexpr EnumName<ChunkFormat> names[] = {{"packed", ChunkFormat::packed},
                                                      {"float", ChunkFormat::plain}};
};

template <>
struct EnumTable<EnsembleType>
{
    static constexpr EnumName<EnsembleType> names[] = {{"nve", EnsembleType::nve}};
    static constexpr std::string_view unavailable[] = {"langevin",  "bussi", "nose_hoover",
                                                       "berendsen", "npt",   "minimize"};
};

template <>
struct EnumTable<Field>
{
    static constexpr EnumName<Field> names[] = {{"position", Field::position},
                                                {"image", Field::image},
                                                {"velocity", Field::velocity},
                                                {"force", Field::force}};
};

template <>
struct EnumTable<TrajectoryType>
{
    static constexpr EnumName<TrajectoryType> names[] = {{"float32", TrajectoryType::float32},
                                                         {"float64", TrajectoryType::float64}};
};

/// Names that belong to the input's language but not to this version.
template <class E>
constexpr std::span<std::string_view const> unavailable_names()
{
    if constexpr (requires { EnumTable<E>::unavailable; })
    {
        return EnumTable<E>::unavailable;
    }
    return {};
}

/// How `value` is written.
template <class E>
constexpr std::string_view name_of(E value)
{
    for (EnumName<E> const& entry : EnumTable<E>::names)
    {
        if (entry.value == value)
        {
            return entry.name;
        }
    }
    return {};
}

}  // namespace tessera
