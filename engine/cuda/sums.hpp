#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "kernels/motion/observables_cuda.hpp"

namespace tessera
{

/// Sums over the system that the host asks for, in a fixed order: one a warp, folded on the device.
class CudaSums
{
public:
    explicit CudaSums(cudaStream_t stream)
        : stream_(stream), totals_(most_doubles, stream), host_totals_(most_doubles)
    {
    }

    /// The sum of the `slices` sums that queue(Sum*) writes; blocks. A Sum holds doubles alone.
    template <class Sum, class Queue>
    Sum total(std::int64_t slices, Queue const& queue)
    {
        constexpr std::size_t width = sizeof(Sum) / sizeof(double);
        static_assert(width * sizeof(double) == sizeof(Sum) && width <= most_doubles);
        auto const doubles = static_cast<std::size_t>(slices) * width;
        if (warp_sums_.size() < doubles)
        {
            warp_sums_ = DeviceBuffer<double>(doubles, stream_);
        }
        queue(reinterpret_cast<Sum*>(warp_sums_.data()));
        cuda::fold(warp_sums_.data(), slices, static_cast<int>(width), totals_.data(), stream_);
        totals_.download(host_totals_.span().first(width), stream_);
        // The host asks for the sum.
        cuda_check(cudaStreamSynchronize(stream_), "wait for a sum");
        std::array<double, width> doubles_of{};
        std::copy_n(host_totals_.data(), width, doubles_of.begin());
        return std::bit_cast<Sum>(doubles_of);
    }

    /// What queue(counts) adds to `bins` counts that begin at 0; blocks.
    template <class Queue>
    std::vector<std::uint64_t> counts(std::size_t bins, Queue const& queue)
    {
        if (histogram_.size() != bins)
        {
            histogram_ = DeviceBuffer<std::uint64_t>(bins, stream_);
        }
        histogram_.fill_bytes(0, stream_);
        queue(histogram_.data());
        std::vector<std::uint64_t> counted(bins);
        histogram_.download(counted, stream_);
        cuda_check(cudaStreamSynchronize(stream_), "wait for counts");
        return counted;
    }

private:
    static constexpr std::size_t most_doubles = 9;  // of the widest sum

    cudaStream_t stream_;
    DeviceBuffer<double> warp_sums_, totals_;
    PinnedBuffer<double> host_totals_;
    DeviceBuffer<std::uint64_t> histogram_;
};

}  // namespace tessera
