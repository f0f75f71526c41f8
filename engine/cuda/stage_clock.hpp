#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cuda/raii.hpp"

namespace tessera
{

enum class CudaStage
{
    sort,
    neighbor,
    reorder,
    force,
    integrate,
    all_forces  ///< reorder and force together
};

/// What a step is timed for. Most steps are not timed; list builds always are.
enum class StepTiming
{
    off,
    stages,     ///< each stage of a step in one stream
    all_forces  ///< reordering and forces together, overlapped
};

/// Device seconds by stage, between events in the main stream.
class CudaStageClock
{
public:
    static constexpr std::size_t stages = 6;
    using Seconds = std::array<double, stages>;

    explicit CudaStageClock(cudaStream_t stream) : stream_(stream)
    {
    }

    /// Times what is queued during its life.
    class Interval
    {
    public:
        Interval(CudaStageClock& clock, CudaStage stage)
            : clock_(clock), active_(clock.times(stage))
        {
            if (active_)
            {
                index_ = clock_.open(stage);
            }
        }
        Interval(Interval const&) = delete;
        Interval& operator=(Interval const&) = delete;
        ~Interval()
        {
            if (active_)
            {
                clock_.close(clock_.pairs_[index_].second, clock_.stream_);
            }
        }

    private:
        CudaStageClock& clock_;
        bool active_;
        std::size_t index_ = 0;
    };

    /// Times one chunk's work in one of the streams, in a step whose streams are timed.
    class Span
    {
    public:
        Span(CudaStageClock& clock, ChunkSpan::Stage stage, std::int64_t chunk, int index,
             cudaStream_t stream)
            : clock_(clock), stream_(stream), active_(clock.times(CudaStage::all_forces))
        {
            if (active_)
            {
                at_ = clock_.open({stage, chunk, index, 0.0, 0.0});
                clock_.spans_[at_].first.record(stream_);
            }
        }
        Span(Span const&) = delete;
        Span& operator=(Span const&) = delete;
        ~Span()
        {
            if (active_)
            {
                clock_.close(clock_.spans_[at_].second, stream_);
            }
        }

    private:
        CudaStageClock& clock_;
        cudaStream_t stream_;
        bool active_;
        std::size_t at_ = 0;
    };

    void time_steps(StepTiming timing)
    {
        timing_ = timing;
    }
    /// Events that measure time cannot be captured into a graph.
    void suspend(bool suspended)
    {
        suspended_ = suspended;
    }
    /// Seconds of the intervals since the last call; the stream must be synchronized. Throws if the
    /// end of one of them could not be recorded.
    Seconds collect()
    {
        cuda_check(std::exchange(failure_, cudaSuccess), "record event");
        Seconds seconds{};
        for (std::size_t index = 0; index < used_; ++index)
        {
            seconds[static_cast<std::size_t>(stage_[index])] +=
                seconds_between(pairs_[index].first, pairs_[index].second);
            if (stage_[index] == CudaStage::all_forces)
            {
                keep_timeline(pairs_[index].first);
            }
        }
        used_ = 0;
        return seconds;
    }
    /// Of the last step whose streams were timed, as of collect().
    std::vector<ChunkSpan> const& timeline() const
    {
        return timeline_;
    }

private:
    bool times(CudaStage stage) const
    {
        if (suspended_)
        {
            return false;
        }
        if (stage == CudaStage::sort || stage == CudaStage::neighbor)
        {
            return true;
        }
        return timing_ ==
               (stage == CudaStage::all_forces ? StepTiming::all_forces : StepTiming::stages);
    }
    /// For destructors: what fails here is thrown by collect().
    void close(Event const& end, cudaStream_t stream) noexcept
    {
        cudaError_t const code = cudaEventRecord(end.get(), stream);
        failure_ = failure_ == cudaSuccess ? code : failure_;
    }
    void keep_timeline(Event const& start)
    {
        timeline_.clear();
        for (std::size_t index = 0; index < spans_used_; ++index)
        {
            TimedSpan const& timed = spans_[index];
            ChunkSpan span = timed.span;
            span.begin = seconds_between(start, timed.first);
            span.end = seconds_between(start, timed.second);
            timeline_.push_back(span);
        }
        spans_used_ = 0;
    }
    std::size_t open(ChunkSpan const& span)
    {
        if (spans_used_ == spans_.size())
        {
            spans_.push_back({span, Event(EventTiming::enabled), Event(EventTiming::enabled)});
        }
        spans_[spans_used_].span = span;
        return spans_used_++;
    }
    std::size_t open(CudaStage stage)
    {
        if (used_ == pairs_.size())
        {
            pairs_.emplace_back(Event(EventTiming::enabled), Event(EventTiming::enabled));
            stage_.push_back(stage);
        }
        stage_[used_] = stage;
        pairs_[used_].first.record(stream_);
        return used_++;
    }

    struct TimedSpan
    {
        ChunkSpan span;
        Event first, second;
    };

    cudaStream_t stream_;
    StepTiming timing_ = StepTiming::off;
    bool suspended_ = false;
    cudaError_t failure_ = cudaSuccess;
    std::size_t used_ = 0;
    std::vector<std::pair<Event, Event>> pairs_;
    std::vector<CudaStage> stage_;
    std::size_t spans_used_ = 0;
    std::vector<TimedSpan> spans_;
    std::vector<ChunkSpan> timeline_;
};

}  // namespace tessera
