#include "engine/cuda/steps.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/backend/step.hpp"
#include "engine/config/errors.hpp"

namespace tessera
{

template <class P, class Slot>
CudaSteps<P, Slot>::CudaSteps(Config const& config, CudaParticles& particles,
                              CudaForces<P, Slot>& forces, CudaTiming& timing, cudaStream_t stream,
                              Notify notify)
    : config_(config),
      notify_(std::move(notify)),
      stream_(stream),
      particles_(particles),
      forces_(forces),
      timing_(timing),
      gates_(CudaPace::longest_batch, stream)
{
}

template <class P, class Slot>
void CudaSteps<P, Slot>::prepare(SoundRules const& rules)
{
    rules_ = rules;
    replay_ = Graph();
    double const skin = config_.neighbor.skin;
    bool const by_cells = forces_.layout().search == Search::cells;
    gates_.set_limits(skin, by_cells && skin > 0.0);
    pace_.set(skin, !by_cells && skin > 0.0);
}

template <class P, class Slot>
void CudaSteps<P, Slot>::compute_forces_of(std::int64_t step, std::optional<ListPositions> build)
{
    submit(step, 0);
    pending_ = Pending{build};
    while (pending_)
    {
        queue_batch();
        settle();
    }
    done_ = 0;
    // No step began, so none has a half kick left.
    kick_waits_ = false;
}

template <class P, class Slot>
void CudaSteps<P, Slot>::submit(std::int64_t step, std::int64_t steps)
{
    step_ = step;
    asked_ = steps;
    done_ = 0;
    if (steps > 0)
    {
        queue_batch();
    }
}

template <class P, class Slot>
Outcome CudaSteps<P, Slot>::collect()
{
    while (done_ < asked_)
    {
        settle();
        if (done_ < asked_)
        {
            queue_batch();
        }
    }
    return {done_};
}

template <class P, class Slot>
void CudaSteps<P, Slot>::kick_and_drift()
{
    ++place_;
    queue_integrate(kick_waits_ ? cuda::Kicks::both_halves : cuda::Kicks::first_half,
                    gates_.at(place_));
    kick_waits_ = false;
    forces_.invalidate();
}

template <class P, class Slot>
void CudaSteps<P, Slot>::update_neighbors()
{
    if (config_.neighbor.skin == 0.0)
    {
        forces_.build_lists(ListPositions::present, gates_.at(place_));
    }
    else if (forces_.layout().search == Search::brute)
    {
        forces_.build_lists_if_moved(gates_.rebuild_at(place_));
    }
    // Others hold until the gate closes.
}

template <class P, class Slot>
void CudaSteps<P, Slot>::compute_forces()
{
    forces_.compute(gates_.at(place_), overlap_);
}

/// The next drift does it, or the end of the last batch.
template <class P, class Slot>
void CudaSteps<P, Slot>::kick()
{
    kick_waits_ = true;
}

template <class P, class Slot>
void CudaSteps<P, Slot>::queue_integrate(cuda::Kicks kicks, cuda::StepGate const& gate)
{
    nvtx3::scoped_range const range("integrate");
    CudaStageClock::Interval const interval(timing_.clock(), CudaStage::integrate);
    set_parameters();
    cuda::kick_and_drift<P>(particles_.view(), forces_.drift_target(),
                            {gates_.parameters(), kicks, forces_.species_count()}, gate, stream_);
}

template <class P, class Slot>
void CudaSteps<P, Slot>::set_parameters()
{
    CudaLists<P> const& lists = forces_.lists();
    gates_.set_motion(particles_.box(), rules_, lists.space(), lists.compact_space());
}

/// Queues what is pending, steps, and the last half kick if they complete what was asked for.
template <class P, class Slot>
void CudaSteps<P, Slot>::queue_batch()
{
    std::int64_t const left = asked_ - done_ - (pending_ ? 1 : 0);
    batch_ = asked_ > 0 ? pace_.batch_length(left, done_ == 0) : 0;
    gates_.open(batch_);
    place_ = 0;
    overlap_ = StreamUse::streams;
    bool const replays = pace_.replays(batch_) && done_ > 0 && !pending_;
    if (pending_)
    {
        queue_pending();
    }
    replays ? queue_replay() : queue_steps();
    if (asked_ > 0 && batch_ == left)
    {
        queue_integrate(cuda::Kicks::second_half_only, gates_.after(batch_ + 1));
        kick_waits_ = false;
    }
}

/// The rest of a step that drifted.
template <class P, class Slot>
void CudaSteps<P, Slot>::queue_pending()
{
    if (pending_->rebuild)
    {
        forces_.build_lists(*pending_->rebuild, gates_.at(0));
        pace_.restart();
    }
    compute_forces();
    kick();
}

template <class P, class Slot>
void CudaSteps<P, Slot>::queue_steps()
{
    timing_.begin_batch(batch_);
    for (std::int64_t place = 1; place <= batch_; ++place)
    {
        overlap_ = timing_.begin_step(place) ? StreamUse::none : StreamUse::streams;
        advance_one_step(*this);
    }
    timing_.end_steps();
}

/// A fixed number of steps as one launch. The graph holds until memory moves.
template <class P, class Slot>
void CudaSteps<P, Slot>::queue_replay()
{
    // Before the graph, not in it.
    set_parameters();
    if (!replay_)
    {
        timing_.clock().suspend(true);
        replay_ = Graph(stream_, [&](cudaStream_t) {
            for (std::int64_t n = 0; n < batch_; ++n)
            {
                advance_one_step(*this);
            }
        });
        timing_.clock().suspend(false);
    }
    else
    {
        for (std::int64_t n = 0; n < batch_; ++n)
        {
            forces_.count_replay();
        }
    }
    replay_.launch(stream_);
}

/// Waits for the batch, the only wait of one: finds the first closed gate, counts the steps before
/// it, and prepares to finish its step.
template <class P, class Slot>
void CudaSteps<P, Slot>::settle()
{
    gates_.read_back(batch_);
    std::int64_t const closed = gates_.first_closed(batch_);
    device_builds_ += static_cast<std::int64_t>(gates_.faults().builds);
    std::int64_t complete = 0;
    if (closed > 0)
    {
        complete = closed - 1 + (pending_ ? 1 : 0);
        done_ += complete;
        pending_.reset();
        pace_.count(closed - 1, gates_.word(closed - 1));
    }
    timing_.end_batch(batch_, closed, complete);
    if (closed <= batch_)
    {
        recover(gates_.word(closed), closed == 0);
    }
}

/// Decides what the step whose gate closed needs before its forces can be computed.
template <class P, class Slot>
void CudaSteps<P, Slot>::recover(std::uint32_t word, bool first)
{
    cuda::StepFaults const& faults = gates_.faults();
    forces_.invalidate();
    replay_ = Graph();
    if (!first)
    {
        pending_ = Pending{};
    }
    if (word != cuda::gate_closed)
    {
        pending_->rebuild = ListPositions::present;
        pace_.expect_build();
        return;
    }
    if (faults.runaway != cuda::nobody)
    {
        stop_at_particle(particles_.full_state(), faults.runaway, step_ + done_ + 1, rules_);
    }
    // With several faults the first is mended, and the next try shows the rest.
    if (forces_.grow_list(faults))
    {
        pending_->rebuild = pending_->rebuild.value_or(ListPositions::present);
        ++regrowths_;
        notify_(fmt::format("the neighbor list needs {} slots a row: grown, and built again",
                            faults.list_slots));
    }
    else if (forces_.grow_rows(faults))
    {
        bool const built_with_list = forces_.layout().path == ForcePath::shoc &&
                                     config_.neighbor.rebuild == Rebuild::on_displacement;
        if (built_with_list)
        {
            pending_->rebuild = pending_->rebuild.value_or(ListPositions::present);
        }
        else if (!first)
        {
            pending_->rebuild.reset();
        }
        report_row_growth();
    }
    else
    {
        throw RunError(fmt::format("step {}: a step was stopped for no reason that is known",
                                   step_ + done_ + 1));
    }
}

template <class P, class Slot>
void CudaSteps<P, Slot>::report_row_growth()
{
    ++regrowths_;
    notify_(fmt::format("reordered rows need {} slots: grown, and reordered again",
                        gates_.faults().chunk_slots));
}

template <class P, class Slot>
void CudaSteps<P, Slot>::fill_chunks(std::int64_t step)
{
    bool filled = !forces_.layout().on_chip;
    while (!filled)
    {
        gates_.open(0);
        forces_.for_each_source(gates_.at(0), StreamUse::none, [](auto const&) {});
        // What consumes chunks may not find one that overflowed.
        gates_.read_back(0);
        filled = gates_.word(0) != cuda::gate_closed;
        if (!filled)
        {
            forces_.invalidate();
            if (!forces_.grow_rows(gates_.faults()))
            {
                throw RunError(fmt::format(
                    "step {}: a reorder was stopped for no reason that is known", step));
            }
            report_row_growth();
        }
    }
}

template <class P, class Slot>
void CudaSteps<P, Slot>::fill(BackendReport& report) const
{
    report.rebuilds += device_builds_;
    report.regrowths = regrowths_;
}

template class CudaSteps<FixedPosition, PackedSlot>;
template class CudaSteps<FixedPosition, FloatSlot>;
template class CudaSteps<FloatPosition, PackedSlot>;
template class CudaSteps<FloatPosition, FloatSlot>;
template class CudaSteps<DoublePosition, DoubleSlot>;

}  // namespace tessera
