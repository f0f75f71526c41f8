#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "engine/config/config.hpp"
#include "kernels/arithmetic/pair_potential.hpp"
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
        return ranges(range_sq_);
    }
    /// Likewise, 0 for pairs without an interaction.
    PairRanges<Real> acting_ranges() const
    {
        return ranges(acting_sq_);
    }
    int species_count() const
    {
        return species_count_;
    }

private:
    using Table = std::vector<PairCoefficients<Real>>;

    PotentialView<Real> view(Table const& table, Truncation truncation) const
    {
        return {type_, truncation, species_count_, table.data(), table.front()};
    }
    /// Without a table where one range holds for all.
    PairRanges<Real> ranges(std::vector<Real> const& range_sq) const
    {
        bool const uniform = std::equal(range_sq.begin() + 1, range_sq.end(), range_sq.begin());
        return {range_sq.front(), uniform ? nullptr : range_sq.data(), species_count_};
    }

    int species_count_;
    PotentialType type_;
    Truncation truncation_;
    Table list_, chunk_, sharp_list_, sharp_chunk_;
    std::vector<Real> range_sq_, acting_sq_;  ///< [species][species]
};

}  // namespace tessera
