#pragma once

#include <limits>
#include <vector>

#include "engine/backend/potential_tables.hpp"
#include "engine/cuda/raii.hpp"

namespace tessera
{

/// The potential's tables in device memory: the same views as PotentialTables, for kernels.
template <class Real>
class CudaTables
{
public:
    CudaTables(Config const& config, cudaStream_t stream,
               double nearest_copy_limit = std::numeric_limits<double>::infinity())
        : host_(config, nearest_copy_limit)
    {
        std::size_t const pairs =
            static_cast<std::size_t>(host_.species_count()) * host_.species_count();
        std::vector<PairCoefficients<Real>> all;
        for (PotentialView<Real> const& view :
             {host_.list_potential(), host_.chunk_potential(), host_.sharp_list_potential(),
              host_.sharp_chunk_potential()})
        {
            all.insert(all.end(), view.table, view.table + pairs);
        }
        std::vector<Real> range_sq;
        for (PairRanges<Real> const& ranges : {host_.cutoff_ranges(), host_.acting_ranges()})
        {
            for (int pair = 0; pair < static_cast<int>(pairs); ++pair)
            {
                range_sq.push_back(
                    ranges.range_sq(pair / host_.species_count(), pair % host_.species_count()));
            }
        }
        coefficients_ = DeviceBuffer<PairCoefficients<Real>>(
            std::span<PairCoefficients<Real> const>(all), stream);
        range_sq_ = DeviceBuffer<Real>(std::span<Real const>(range_sq), stream);
        pairs_ = pairs;
        // The host arrays end with this constructor.
        cuda_check(cudaStreamSynchronize(stream), "copy the potential to the device");
    }

    PotentialView<Real> list_potential() const
    {
        return on_device(host_.list_potential(), 0);
    }
    PotentialView<Real> chunk_potential() const
    {
        return on_device(host_.chunk_potential(), 1);
    }
    PotentialView<Real> sharp_list_potential() const
    {
        return on_device(host_.sharp_list_potential(), 2);
    }
    PotentialView<Real> sharp_chunk_potential() const
    {
        return on_device(host_.sharp_chunk_potential(), 3);
    }
    PairRanges<Real> cutoff_ranges() const
    {
        return on_device(host_.cutoff_ranges(), 0);
    }
    PairRanges<Real> acting_ranges() const
    {
        return on_device(host_.acting_ranges(), 1);
    }
    int species_count() const
    {
        return host_.species_count();
    }

private:
    PotentialView<Real> on_device(PotentialView<Real> view, std::size_t which) const
    {
        view.table = coefficients_.data() + which * pairs_;
        return view;
    }
    PairRanges<Real> on_device(PairRanges<Real> ranges, std::size_t which) const
    {
        ranges.table = ranges.table == nullptr ? nullptr : range_sq_.data() + which * pairs_;
        return ranges;
    }

    PotentialTables<Real> host_;
    std::size_t pairs_ = 0;
    DeviceBuffer<PairCoefficients<Real>> coefficients_;
    DeviceBuffer<Real> range_sq_;
};

}  // namespace tessera
