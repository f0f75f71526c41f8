#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nvtx3/nvtx3.hpp>

#include "engine/config/errors.hpp"
#include "engine/cuda/sources.hpp"

namespace tessera
{
namespace
{

constexpr std::int64_t replay_steps = 48;
constexpr std::int64_t timed_every = 16;  // batches of which two steps are timed

}  // namespace

template <class P, class Slot>
void CudaBackend<P, Slot>::build_lists(ListPositions positions, cuda::StepGate const& step_gate)
{
    nvtx3::scoped_range const range("build lists");
    lists_.build(particles_, positions, step_gate);
    chunks_.invalidate();
}

template <class P, class Slot>
void CudaBackend<P, Slot>::compute_forces(cuda::StepGate const& step_gate, StreamUse overlap)
{
    nvtx3::scoped_range const range("forces");
    CudaStageClock::Interval const interval(clock_, CudaStage::all_forces);
    {
        CudaStageClock::Interval const pruning(clock_, CudaStage::reorder);
        lists_.prune(tables_, step_gate);
    }
    if (!on_chip_ || overlap == StreamUse::none)
    {
        for_each_source(step_gate, overlap, [&](auto const& source) {
            CudaStageClock::Interval const force(clock_, CudaStage::force);
            cuda::launch_forces(source, potential(false), particles_.view().force, step_gate,
                                stream_.get());
        });
    }
    // Also after a step whose stages were timed one by one: all steps round alike.
    if (on_chip_)
    {
        compute_row_forces(step_gate);
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::compute_row_forces(cuda::StepGate const& step_gate)
{
    CudaStageClock::Span const span(clock_, ChunkSpan::Stage::both, 0, 0, stream_.get());
    with_positions([&]<class Q>(PositionView<Q> const& positions) {
        cuda::launch_row_forces<Q>(positions, lists_.outer(), tables_.acting_ranges(),
                                   potential(false), particles_.view().force, step_gate,
                                   stream_.get());
    });
    chunks_.count_on_chip();
}

template <class P, class Slot>
void CudaBackend<P, Slot>::queue_integrate(cuda::Kicks kicks, cuda::StepGate const& step_gate)
{
    nvtx3::scoped_range const range("integrate");
    CudaStageClock::Interval const interval(clock_, CudaStage::integrate);
    cuda::ParticleArrays const now = particles_.arrays();
    cuda::launch_integrate<P>(
        particles_.view(), {lists_.encoded(), lists_.compact(), now.reference, now.rank},
        {particles_.box(), rules_.limits, lists_.space(), lists_.compact_space(), config_.run.dt,
         kicks, tables_.species_count()},
        step_gate, stream_.get());
}

/// One step, as a textbook has it; the second half kick waits for the next step's first.
template <class P, class Slot>
void CudaBackend<P, Slot>::queue_step(std::int64_t place, cuda::Kicks kicks, StreamUse overlap)
{
    cuda::StepGate const step_gate = gate(place);
    queue_integrate(kicks, step_gate);
    chunks_.invalidate();
    if (config_.neighbor.skin == 0.0)
    {
        build_lists(ListPositions::present, step_gate);
    }
    else if (lists_.search() == Search::brute)
    {
        cuda::StepGate moved = step_gate;
        moved.limit = limit_moved_;
        lists_.build_if_moved(particles_, moved);
    }
    compute_forces(step_gate, overlap);
}

template <class P, class Slot>
void CudaBackend<P, Slot>::queue_pending()
{
    if (pending_->rebuild)
    {
        build_lists(*pending_->rebuild, gate(0));
        since_build_ = 0;
    }
    compute_forces(gate(0), StreamUse::streams);
}

/// Queues what is pending, `steps` steps, and the last half kick if that completes `last_step`.
template <class P, class Slot>
void CudaBackend<P, Slot>::queue_batch(std::int64_t steps, std::int64_t last_step)
{
    cuda_check(
        cudaMemsetAsync(words_.data(), 0,
                        static_cast<std::size_t>(steps + 1) * sizeof(std::uint32_t), stream_.get()),
        "open the gates");
    faults_.upload(no_faults_.span(), stream_.get());
    if (pending_)
    {
        queue_pending();
    }
    bool const host_free =
        lists_.search() == Search::brute && config_.neighbor.skin > 0.0;  // pointers never change
    if (host_free && steps == replay_steps && done_ > 0 && !pending_)
    {
        queue_replay();
    }
    else
    {
        bool const timed = is_timed(steps);
        for (std::int64_t place = 1; place <= steps; ++place)
        {
            bool const first = place == 1 && done_ == 0 && !pending_;
            bool const serial = timed && place == 1;
            clock_.time_steps(!timed || place > 2 ? StepTiming::off
                              : serial            ? StepTiming::stages
                                                  : StepTiming::all_forces);
            queue_step(place, first ? cuda::Kicks::first_half : cuda::Kicks::both_halves,
                       serial ? StreamUse::none : StreamUse::streams);
        }
        clock_.time_steps(StepTiming::off);
    }
    if (last_step >= 0 && done_ + steps + (pending_ ? 1 : 0) == last_step)
    {
        cuda::StepGate last = gate(steps + 1);
        last.present = nullptr;
        queue_integrate(cuda::Kicks::second_half_only, last);
    }
}

/// A fixed number of steps as one launch. The graph holds until memory moves.
template <class P, class Slot>
void CudaBackend<P, Slot>::queue_replay()
{
    if (!replay_)
    {
        clock_.suspend(true);
        replay_ = Graph(stream_.get(), [&](cudaStream_t) {
            for (std::int64_t place = 1; place <= replay_steps; ++place)
            {
                queue_step(place, cuda::Kicks::both_halves, StreamUse::streams);
            }
        });
        clock_.suspend(false);
    }
    else if (path_ == ForcePath::reordered)
    {
        for (std::int64_t place = 1; place <= replay_steps; ++place)
        {
            on_chip_ ? chunks_.count_on_chip() : chunks_.count_replay(source());
        }
    }
    replay_.launch(stream_.get());
}

template <class P, class Slot>
void CudaBackend<P, Slot>::read_back(std::int64_t words)
{
    words_.download(host_words_.span().first(static_cast<std::size_t>(words)), stream_.get());
    faults_.download(host_faults_.span(), stream_.get());
    // The only wait of a batch: the host learns which steps are complete.
    stream_.synchronize();
}

template <class P, class Slot>
void CudaBackend<P, Slot>::run_batch(std::int64_t steps, std::int64_t last_step)
{
    queue_batch(steps, last_step);
    read_back(steps + 1);
    settle(steps);
}

/// Finds the first closed gate, counts the steps before it, and prepares to finish its step.
template <class P, class Slot>
void CudaBackend<P, Slot>::settle(std::int64_t steps)
{
    std::int64_t closed = 0;
    while (closed <= steps && host_words_[static_cast<std::size_t>(closed)] <= limit_stop_)
    {
        ++closed;
    }
    device_builds_ += static_cast<std::int64_t>(host_faults_[0].builds);
    bool const had_pending = pending_.has_value();
    if (closed > 0)
    {
        std::int64_t const complete = closed - 1 + (had_pending ? 1 : 0);
        done_ += complete;
        steps_run_ += complete;
        since_build_ += closed - 1;
        pending_.reset();
        moved_ = std::sqrt(std::bit_cast<float>(host_words_[static_cast<std::size_t>(closed - 1)]));
        if (since_build_ > 0)
        {
            moved_a_step_ = moved_ / static_cast<double>(since_build_);
        }
    }
    account_seconds(steps, closed);
    ++batches_;
    if (closed <= steps)
    {
        recover(host_words_[static_cast<std::size_t>(closed)], closed == 0);
    }
}

/// Decides what the step whose gate closed needs before its forces can be computed.
template <class P, class Slot>
void CudaBackend<P, Slot>::recover(std::uint32_t word, bool first)
{
    cuda::StepFaults const& faults = host_faults_[0];
    chunks_.invalidate();
    replay_ = Graph();
    if (!first)
    {
        pending_ = Pending{};
    }
    if (word != cuda::gate_closed)
    {
        pending_->rebuild = ListPositions::present;
        moved_ = 0.0;
        return;
    }
    if (faults.runaway != ~0ULL)
    {
        stop_at_particle(particles_.full_state(), static_cast<std::int64_t>(faults.runaway),
                         step_ + done_ + 1, rules_);
    }
    // With several faults the first is mended, and the next try shows the rest.
    if (lists_.grow_list(faults))
    {
        pending_->rebuild = pending_->rebuild.value_or(ListPositions::present);
        ++regrowths_;
        notify_(fmt::format("the neighbor list needs {} slots a row: grown, and built again",
                            faults.list_slots));
    }
    else if (path_ == ForcePath::reordered ? chunks_.grow(faults) : lists_.grow_pruned(faults))
    {
        bool const built_with_list =
            path_ == ForcePath::shoc && config_.neighbor.rebuild == Rebuild::on_displacement;
        if (built_with_list)
        {
            pending_->rebuild = pending_->rebuild.value_or(ListPositions::present);
        }
        else if (!first)
        {
            pending_->rebuild.reset();
        }
        report_chunk_growth();
    }
    else
    {
        throw RunError(fmt::format("step {}: a step was stopped for no reason that is known",
                                   step_ + done_ + 1));
    }
}

/// Two steps of some batches are timed: one in a single stream, stage by stage, and one overlapped.
template <class P, class Slot>
bool CudaBackend<P, Slot>::is_timed(std::int64_t steps) const
{
    return steps >= 2 && (timed_steps_ == 0 || batches_ % timed_every == 0);
}

template <class P, class Slot>
void CudaBackend<P, Slot>::account_seconds(std::int64_t steps, std::int64_t closed)
{
    CudaStageClock::Seconds const seconds = clock_.collect();
    auto const at = [&](CudaStage stage) {
        return seconds[static_cast<std::size_t>(stage)];
    };
    seconds_.sort += at(CudaStage::sort);
    seconds_.neighbor += at(CudaStage::neighbor);
    // Steps that were skipped say nothing.
    if (at(CudaStage::all_forces) > 0.0 && closed > std::min<std::int64_t>(steps, 2))
    {
        ++timed_steps_;
        timeline_ = clock_.timeline();
        for (std::size_t stage = 0; stage < seconds.size(); ++stage)
        {
            timed_[stage] += seconds[stage];
        }
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::finish_pending()
{
    while (pending_)
    {
        run_batch(0, -1);
    }
    done_ = 0;
}

/// Steps until a particle has probably moved half a skin: only a guess, the gates hold whatever
/// happens; too few cost a wait each, too many cost empty kernels.
template <class P, class Slot>
std::int64_t CudaBackend<P, Slot>::predicted_steps() const
{
    double const left = 0.5 * config_.neighbor.skin - moved_;
    if (moved_a_step_ <= 0.0)
    {
        return 4;
    }
    auto const steps = static_cast<std::int64_t>(left / moved_a_step_);
    return std::max<std::int64_t>(steps + 1, 1);
}

template <class P, class Slot>
std::int64_t CudaBackend<P, Slot>::batch_length(std::int64_t left) const
{
    if (lists_.search() == Search::brute && config_.neighbor.skin > 0.0)
    {
        // The first step has its own kicks; then whole replays.
        return done_ == 0 ? std::min<std::int64_t>(left, 1)
                          : std::min<std::int64_t>(left, replay_steps);
    }
    std::int64_t const predicted =
        config_.neighbor.skin > 0.0 ? predicted_steps() : longest_batch - 1;
    return std::min({predicted, left, longest_batch - 1});
}

#define TESSERA_INSTANTIATE(P, Slot)                                                      \
    template void CudaBackend<P, Slot>::compute_forces(cuda::StepGate const&, StreamUse); \
    template void CudaBackend<P, Slot>::run_batch(std::int64_t, std::int64_t);            \
    template void CudaBackend<P, Slot>::read_back(std::int64_t);                          \
    template void CudaBackend<P, Slot>::finish_pending();                                 \
    template std::int64_t CudaBackend<P, Slot>::batch_length(std::int64_t) const;
TESSERA_FOR_EACH_CUDA_BACKEND(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

}  // namespace tessera
