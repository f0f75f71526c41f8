#include "engine/potential_tables.hpp"

namespace tessera
{
namespace
{

/// Beyond every displacement that packing can move a pair within the cutoff to, and far below the
/// length of padding.
constexpr double chunk_widening = 1.00002;

}  // namespace

template <class Real>
PotentialTables<Real>::PotentialTables(Config const& config)
    : species_count_(static_cast<int>(config.system.species.size())),
      truncation_(config.potential.truncation)
{
    for (ResolvedPair const& pair : resolve_pairs(config))
    {
        auto const coefficients = [&](Truncation truncation) {
            return make_coefficients<Real>(pair.epsilon, pair.sigma, pair.cutoff, truncation,
                                           config.potential.switch_on);
        };
        auto const widened = [](PairCoefficients<Real> c) {
            c.inside_sq *= static_cast<Real>(chunk_widening);
            return c;
        };
        list_.push_back(coefficients(truncation_));
        chunk_.push_back(widened(list_.back()));
        sharp_list_.push_back(coefficients(Truncation::sharp));
        sharp_chunk_.push_back(widened(sharp_list_.back()));
        double const list_radius = pair.cutoff + config.neighbor.skin;
        cutoff_sq_.push_back(list_.back().cutoff_sq);
        list_radius_sq_.push_back(static_cast<Real>(list_radius * list_radius));
        if (pair.epsilon == 0.0)
        {
            // They may be at one place, where 0 x infinity is not 0.
            for (Table* const table : {&list_, &chunk_, &sharp_list_, &sharp_chunk_})
            {
                table->back().inside_sq = Real(0);
            }
        }
    }
}

template class PotentialTables<float>;
template class PotentialTables<double>;

}  // namespace tessera
