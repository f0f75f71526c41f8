#pragma once
/// What a sample may hold of the pairs beside energy and virial, listed once: a functor of
/// kernels/force/consumers.hpp's kind and a place in the list. Backends sum each that is wanted
/// over the system and ask for nothing else.

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "kernels/arithmetic/host_device.hpp"
#include "kernels/arithmetic/vec3.hpp"

namespace tessera
{

struct PairObservableSettings
{
    double coordination_range = 0.0;  ///< [sigma]; 0: not wanted
    double inside = 0.0;              ///< no pair counts from here on [sigma]
};

/// A sum over all pairs, each from both sides.
struct PairSum
{
    double value = 0.0;

    TESSERA_HD PairSum& operator+=(PairSum const& other)
    {
        value += other.value;
        return *this;
    }
};

/// Neighbors within a distance: a mean over particles, the coordination number.
template <class RealType>
struct Coordination
{
    using Real = RealType;
    using Sum = PairSum;
    static constexpr bool one_species = false;

    Real range_sq;  ///< [sigma^2]

    explicit Coordination(PairObservableSettings const& settings)
    {
        double const range = settings.coordination_range < settings.inside
                                 ? settings.coordination_range
                                 : settings.inside;
        range_sq = static_cast<Real>(range * range);
    }
    static bool wanted(PairObservableSettings const& settings)
    {
        return settings.coordination_range > 0.0;
    }
    TESSERA_HD void add(Sum& sum, Vec3<Real> displacement, int, int) const
    {
        // Chosen in Real: a choice between doubles is double arithmetic in float kernels.
        Real const near = dot(displacement, displacement) < range_sq ? Real(1) : Real(0);
        sum.value += static_cast<double>(near);
    }
};

/// Places in the list.
enum class PairObservable : std::uint8_t
{
    coordination
};
template <class Real>
using PairObservables = std::tuple<Coordination<Real>>;

inline constexpr std::size_t pair_observable_count = std::tuple_size_v<PairObservables<float>>;

/// Calls `use` with the functor at `place` of the list.
template <class Real, class Use>
void with_pair_observable(std::size_t place, PairObservableSettings const& settings, Use const& use)
{
    [&]<std::size_t... at>(std::index_sequence<at...>)
    {
        ((place == at ? use(std::tuple_element_t<at, PairObservables<Real>>(settings)) : void()),
         ...);
    }
    (std::make_index_sequence<pair_observable_count>());
}

inline bool is_wanted(std::size_t place, PairObservableSettings const& settings)
{
    bool wanted = false;
    with_pair_observable<float>(place, settings,
                                [&](auto const& functor) { wanted = functor.wanted(settings); });
    return wanted;
}

}  // namespace tessera
