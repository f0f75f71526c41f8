#include "engine/backend/potential_tables.hpp"

#include <algorithm>

namespace tessera
{
namespace
{

/// Beyond every displacement that packing can move a pair within the cutoff to, and far below the
/// length of padding.
constexpr double chunk_widening = 1.00002;

}  // namespace

template <class Real>
PotentialTables<Real>::PotentialTables(Config const& config, double nearest_copy_limit)
    : species_count_(static_cast<int>(config.system.species.size())),
      type_(config.potential.type),
      truncation_(config.potential.truncation)
{
    auto const limit_sq = static_cast<Real>(nearest_copy_limit * nearest_copy_limit);
    for (ResolvedPair const& pair : resolve_pairs(config))
    {
        auto const coefficients = [&](Truncation truncation) {
            auto c = make_coefficients<Real>(pair, truncation, config.potential.switch_on);
            c.inside_sq = std::min(c.inside_sq, limit_sq);
            return c;
        };
        auto const widened = [](PairCoefficients<Real> c) {
            c.inside_sq *= static_cast<Real>(chunk_widening);
            return c;
        };
        list_.push_back(coefficients(truncation_));
        chunk_.push_back(widened(list_.back()));
        sharp_list_.push_back(coefficients(Truncation::sharp));
        sharp_chunk_.push_back(widened(sharp_list_.back()));
        range_sq_.push_back(list_.back().inside_sq);
        if (pair.epsilon == 0.0)
        {
            // They may be at one place, where 0 x infinity is not 0.
            for (Table* const table : {&list_, &chunk_, &sharp_list_, &sharp_chunk_})
            {
                table->back().inside_sq = Real(0);
            }
        }
        acting_sq_.push_back(list_.back().inside_sq);
    }
}

template class PotentialTables<float>;
template class PotentialTables<double>;

}  // namespace tessera
