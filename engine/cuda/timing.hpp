#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/cuda/stage_clock.hpp"

namespace tessera
{

/// Which steps are timed, and what their times say of all: two steps of some batches, one in a
/// single stream, stage by stage, and one overlapped.
class CudaTiming
{
public:
    explicit CudaTiming(cudaStream_t stream) : clock_(stream)
    {
    }

    CudaStageClock& clock()
    {
        return clock_;
    }
    /// Wall seconds of what the host waits for.
    double& observables()
    {
        return seconds_.observables;
    }

    /// Before the steps of a batch are queued.
    void begin_batch(std::int64_t steps)
    {
        timed_ = steps >= 2 && (timed_steps_ == 0 || batches_ % timed_every == 0);
    }
    /// Before the `place`-th of them, from 1 on: whether it goes through one stream.
    bool begin_step(std::int64_t place)
    {
        bool const serial = timed_ && place == 1;
        clock_.time_steps(!timed_ || place > 2 ? StepTiming::off
                          : serial             ? StepTiming::stages
                                               : StepTiming::all_forces);
        return serial;
    }
    void end_steps()
    {
        clock_.time_steps(StepTiming::off);
    }
    /// Once the batch has been waited for: its first closed gate, and how many steps it completed.
    void end_batch(std::int64_t steps, std::int64_t closed, std::int64_t complete)
    {
        CudaStageClock::Seconds const seconds = clock_.collect();
        seconds_.sort += at(seconds, CudaStage::sort);
        seconds_.neighbor += at(seconds, CudaStage::neighbor);
        // Steps that were skipped say nothing.
        if (at(seconds, CudaStage::all_forces) > 0.0 && closed > std::min<std::int64_t>(steps, 2))
        {
            ++timed_steps_;
            timeline_ = clock_.timeline();
            for (std::size_t stage = 0; stage < seconds.size(); ++stage)
            {
                sum_[stage] += seconds[stage];
            }
        }
        steps_run_ += complete;
        ++batches_;
    }

    void fill(BackendReport& report) const
    {
        double const scale =
            timed_steps_ > 0 ? static_cast<double>(steps_run_) / static_cast<double>(timed_steps_)
                             : 0.0;
        StageSeconds& seconds = report.seconds;
        seconds = seconds_;
        seconds.reorder = scale * at(sum_, CudaStage::reorder);
        seconds.force = scale * at(sum_, CudaStage::force);
        seconds.integrate = scale * at(sum_, CudaStage::integrate);
        double const hidden =
            seconds.reorder + seconds.force - scale * at(sum_, CudaStage::all_forces);
        report.hidden_reorder_share =
            seconds.reorder > 0.0 ? std::clamp(hidden / seconds.reorder, 0.0, 1.0) : 0.0;
        report.timeline = timeline_;
    }

private:
    static constexpr std::int64_t timed_every = 16;  // batches of which two steps are timed

    static double at(CudaStageClock::Seconds const& seconds, CudaStage stage)
    {
        return seconds[static_cast<std::size_t>(stage)];
    }

    CudaStageClock clock_;
    StageSeconds seconds_;
    bool timed_ = false;
    std::int64_t timed_steps_ = 0, steps_run_ = 0, batches_ = 0;
    CudaStageClock::Seconds sum_{};    // of the steps that were timed
    std::vector<ChunkSpan> timeline_;  // of the last of them
};

}  // namespace tessera
