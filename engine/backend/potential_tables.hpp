#pragma once

#include <limits>
#include <vector>

#include "engine/config/config.hpp"
#include "kernels/arithmetic/lennard_jones.hpp"
#include "kernels/force/force.hpp"
#include "kernels/neighbor/neighbor.hpp"

namespace tessera
{

/// The potential's coefficients and ranges by pair of species, in the precision of the pair
/// arithmetic, owned on the host.
///
/// Chunks hold the pairs within the cutoff and nothing else but padding, so their coefficients
/// count pairs slightly beyond the true one: a pair that packing moved across it by a part
/// in a million still counts.
///
/// No pair counts from `nearest_copy_limit` [sigma] on, which kernels/arithmetic/pair_space.hpp
/// gives for a box.
template <class Real>
class PotentialTables
{
public:
    explicit PotentialTables(Config const& config,
                             double nearest_copy_limit = std::numeric_limits<double>::infinity());

    PotentialView<Real> list_potential() const
    {
        return view(list_, truncation_);
    }
    PotentialView<Real> chunk_potential() const
    {
        return view(chunk_, truncation_);
    }
    /// The sharp cut of the same pairs, for the tail correction.
    PotentialView<Real> sharp_list_potential() const
    {
        return view(sharp_list_, Truncation::sharp);
    }
    PotentialView<Real> sharp_chunk_potential() const
    {
        return view(sharp_chunk_, Truncation::sharp);
    }
    /// Ranges of the exact list.
    PairRanges<Real> cutoff_ranges() const
    {
        return {range_sq_.front(), species_count_ > 1 ? range_sq_.data() : nullptr, species_count_};
    }
    int species_count() const
    {
        return species_count_;
    }

private:
    using Table = std::vector<PairCoefficients<Real>>;

    PotentialView<Real> view(Table const& table, Truncation truncation) const
    {
        return {truncation, species_count_, table.data(), table.front()};
    }

    int species_count_;
    Truncation truncation_;
    Table list_, chunk_, sharp_list_, sharp_chunk_;
    std::vector<Real> range_sq_;  ///< [species][species]
};

}  // namespace tessera
