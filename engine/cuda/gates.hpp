#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "engine/cuda/raii.hpp"
#include "engine/state/soundness.hpp"
#include "kernels/device/step_gate.hpp"
#include "kernels/motion/integrate_cuda.hpp"
#include "kernels/neighbor/neighbor.hpp"

namespace tessera
{

/// The words by which steps stop on the device by themselves (kernels/device/step_gate.hpp), one a
/// step of a batch and, at place 0, one of the step that is still to be finished; what kernels
/// found out; and the parameters in device memory that steps read.
class CudaGates
{
public:
    CudaGates(std::int64_t longest_batch, cudaStream_t stream)
        : stream_(stream),
          words_(static_cast<std::size_t>(longest_batch + 1), stream),
          faults_(1, stream),
          parameters_(1, stream),
          host_words_(words_.size()),
          host_faults_(1),
          no_faults_(1)
    {
        no_faults_[0] = {};
    }

    /// Lists are complete while no particle has moved half of `skin`. Where they are not built on
    /// the device, steps stop there.
    void set_limits(double skin, bool stops)
    {
        cuda::StepParameters now = now_;
        now.rebuild_limit = displacement_limit(skin);
        now.stop_limit = stops ? now.rebuild_limit : cuda::gate_infinity;
        set_parameters(now);
    }
    /// All but the limits of gates, for what is queued from now on.
    void set_motion(Box const& box, SoundRules const& rules, PairSpace const& space,
                    PairSpace const& compact_space)
    {
        set_parameters({box, rules.limits, space, compact_space, rules.dt, now_.stop_limit,
                        now_.rebuild_limit});
    }
    cuda::StepParameters const* parameters() const
    {
        return parameters_.data();
    }

    /// Opens the gates of places 0 to `last`, and forgets what was found out.
    void open(std::int64_t last)
    {
        cuda_check(
            cudaMemsetAsync(words_.data(), 0,
                            static_cast<std::size_t>(last + 1) * sizeof(std::uint32_t), stream_),
            "open the gates");
        forget_faults();
    }
    void forget_faults()
    {
        faults_.upload(no_faults_.span(), stream_);
    }

    cuda::StepGate at(std::int64_t place) const
    {
        std::uint32_t* const word = words_.data() + place;
        return {place > 0 ? word - 1 : nullptr, word, &parameters()->stop_limit, faults_.data()};
    }
    /// The same, with the limit beyond which the device builds lists by itself.
    cuda::StepGate rebuild_at(std::int64_t place) const
    {
        cuda::StepGate gate = at(place);
        gate.limit = &parameters()->rebuild_limit;
        return gate;
    }
    /// After the step before `place`: for what ends a batch and has no word of its own.
    cuda::StepGate after(std::int64_t place) const
    {
        cuda::StepGate gate = at(place);
        gate.present = nullptr;
        return gate;
    }
    cuda::StepFaults* device_faults() const
    {
        return faults_.data();
    }

    /// Blocks: the host learns the words of places 0 to `last`, and the faults.
    void read_back(std::int64_t last)
    {
        words_.download(host_words_.span().first(static_cast<std::size_t>(last + 1)), stream_);
        faults_.download(host_faults_.span(), stream_);
        cuda_check(cudaStreamSynchronize(stream_), "wait for the gates");
    }

    // As of the last read_back().
    std::uint32_t word(std::int64_t place) const
    {
        return host_words_[static_cast<std::size_t>(place)];
    }
    /// The first place up to `last` whose gate is closed; last + 1: none.
    std::int64_t first_closed(std::int64_t last) const
    {
        std::int64_t place = 0;
        while (place <= last && word(place) <= now_.stop_limit)
        {
            ++place;
        }
        return place;
    }
    cuda::StepFaults const& faults() const
    {
        return host_faults_[0];
    }

private:
    void set_parameters(cuda::StepParameters const& now)
    {
        if (now != now_)
        {
            now_ = now;
            cuda::set_parameters(now, parameters_.data(), stream_);
        }
    }

    /// Bits of the largest squared displacement that keeps lists complete. The float is rounded
    /// down, and drifts round up.
    static std::uint32_t displacement_limit(double skin)
    {
        double const limit_sq = allowed_move(skin) * allowed_move(skin);
        auto const nearest = static_cast<float>(
            std::min(limit_sq, static_cast<double>(std::numeric_limits<float>::max())));
        float const limit = nearest > limit_sq ? std::nextafter(nearest, 0.0F) : nearest;
        return std::bit_cast<std::uint32_t>(limit);
    }

    cudaStream_t stream_;
    DeviceBuffer<std::uint32_t> words_;
    DeviceBuffer<cuda::StepFaults> faults_;
    DeviceBuffer<cuda::StepParameters> parameters_;
    PinnedBuffer<std::uint32_t> host_words_;
    PinnedBuffer<cuda::StepFaults> host_faults_, no_faults_;
    cuda::StepParameters now_{};  // as they are, or are going to be, on the device
};

}  // namespace tessera
