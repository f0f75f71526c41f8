#include "engine/cuda_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nvtx3/nvtx3.hpp>

#include "engine/cpu_lists.hpp"
#include "engine/errors.hpp"
#include "engine/stage_timer.hpp"
#include "kernels/observables_cuda.hpp"

namespace tessera
{
namespace
{

constexpr std::int64_t longest_batch = 64;
constexpr std::int64_t replay_steps = 48;
constexpr int sum_width = 9;
constexpr std::int64_t timed_every = 16;  // batches of which one step is timed

/// Bits of the largest squared displacement that keeps lists complete: two particles that each
/// moved half a skin may have met. The float is rounded down, and drifts round up.
std::uint32_t displacement_limit(double skin)
{
    auto const limit = static_cast<float>(0.25 * skin * skin * (1.0 - 1e-6));
    return std::bit_cast<std::uint32_t>(limit);
}

std::string name_of(int device)
{
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, device), "read the device's properties");
    return fmt::format("cuda:{} ({})", device, properties.name);
}

/// Makes the device current before any member is constructed on it.
int selected(int device)
{
    cuda_check(cudaSetDevice(device), "select the device");
    return device;
}

}  // namespace

template <class P, class Slot>
CudaBackend<P, Slot>::CudaBackend(Config const& config, Notify notify)
    : config_(config),
      notify_(std::move(notify)),
      path_(config.force.path),
      device_(name_of(selected(config.device.index))),
      stream_(StreamPriority::high),
      clock_(stream_.get()),
      tables_(config, stream_.get()),
      particles_(stream_.get()),
      lists_(config, stream_.get(), clock_),
      chunks_(config, stream_.get(), clock_),
      words_(longest_batch + 1, stream_.get()),
      faults_(1, stream_.get()),
      host_words_(longest_batch + 1),
      host_faults_(1),
      no_faults_(1)
{
    no_faults_[0] = {};
}

template <class P, class Slot>
void CudaBackend<P, Slot>::load(State const& state)
{
    selected(config_.device.index);
    step_ = state.step;
    particles_.load(state);
    if (path_ == ForcePath::automatic)
    {
        choose_path();
    }
    prepare(path_);
    pending_ = Pending{ListPositions::kept};
    finish_pending();
    check_start();
}

template <class P, class Slot>
void CudaBackend<P, Slot>::prepare(ForcePath path)
{
    path_ = path;
    replay_ = Graph();
    // Chunks of a size that was asked for go through the streams.
    fuses_ = path == ForcePath::reordered && !config_.reorder.chunk_particles;
    bool const compact = std::is_same_v<P, FixedPosition> && std::is_same_v<Slot, PackedSlot> &&
                         path == ForcePath::reordered && tables_.species_count() == 1;
    lists_.prepare(particles_, path, compact ? Compact::if_faster : Compact::never);
    bool const lists_stay = lists_.search() == Search::cells && config_.neighbor.skin > 0.0;
    limit_moved_ = displacement_limit(config_.neighbor.skin);
    limit_stop_ = lists_stay ? limit_moved_ : cuda::gate_infinity;
    if (path == ForcePath::reordered)
    {
        std::size_t free = 0;
        std::size_t total = 0;
        cuda_check(cudaMemGetInfo(&free, &total), "read the free device memory");
        double const density = static_cast<double>(particles_.count()) / particles_.box().volume();
        chunks_.prepare(particles_.count(), lists_.lanes(), density,
                        static_cast<std::int64_t>(0.8 * static_cast<double>(free)));
    }
    auto const sums =
        static_cast<std::size_t>(std::max(warps(), slice_count(particles_.count(), 1)));
    warp_sums_ = DeviceBuffer<double>(sums * sum_width, stream_.get());
    totals_ = DeviceBuffer<double>(sum_width, stream_.get());
    host_totals_ = PinnedBuffer<double>(sum_width);
}

template <class P, class Slot>
void CudaBackend<P, Slot>::choose_path()
{
    std::string timings;
    double best = 1e300;
    ForcePath chosen = ForcePath::gather;
    for (auto const& [path, name] :
         {std::pair{ForcePath::reordered, "reordered"}, std::pair{ForcePath::gather, "gather"}})
    {
        prepare(path);
        pending_ = Pending{ListPositions::kept};
        finish_pending();
        double fastest = 1e300;
        for (int trial = 0; trial < 6; ++trial)
        {
            double seconds = 0.0;
            {
                StageTimer const timer(seconds);
                chunks_.invalidate();
                pending_ = Pending{};
                finish_pending();
            }
            fastest = std::min(fastest, seconds);
        }
        timings += fmt::format("{}{} {:.3g} ms", timings.empty() ? "" : ", ", name, 1e3 * fastest);
        if (fastest < best)
        {
            best = fastest;
            chosen = path;
        }
    }
    path_ = chosen;
    notify_(fmt::format("path auto: {} is the fastest here (lists and forces of one step: {})",
                        chosen == ForcePath::reordered ? "reordered" : "gather", timings));
}

template <class P, class Slot>
cuda::StepGate CudaBackend<P, Slot>::gate(std::int64_t place) const
{
    std::uint32_t* const word = words_.data() + place;
    return {place > 0 ? word - 1 : nullptr, word, limit_stop_, faults_.data()};
}

template <class P, class Slot>
std::int64_t CudaBackend<P, Slot>::warps() const
{
    return slice_count(particles_.count(), lists_.lanes());
}

template <class P, class Slot>
PotentialView<typename P::Real> CudaBackend<P, Slot>::potential(bool sharp) const
{
    if (path_ == ForcePath::reordered)
    {
        return sharp ? tables_.sharp_chunk_potential() : tables_.chunk_potential();
    }
    return sharp ? tables_.sharp_list_potential() : tables_.list_potential();
}

template <class P, class Slot>
template <class Use>
void CudaBackend<P, Slot>::with_positions(Use const& use) const
{
    if constexpr (std::is_same_v<P, FixedPosition> && std::is_same_v<Slot, PackedSlot>)
    {
        if (lists_.compacts())
        {
            use(lists_.compact_positions());
            return;
        }
    }
    use(lists_.positions());
}

template <class P, class Slot>
void const* CudaBackend<P, Slot>::source() const
{
    return lists_.compacts() ? static_cast<void const*>(lists_.compact())
                             : static_cast<void const*>(lists_.encoded());
}

template <class P, class Slot>
template <class Use>
void CudaBackend<P, Slot>::for_each_source(cuda::StepGate const& step_gate, Overlap overlap,
                                           Use const& use)
{
    switch (path_)
    {
        case ForcePath::gather:
            use(cuda::RowSource<P>{lists_.positions(), lists_.active_rows()});
            break;
        case ForcePath::shoc:
            use(cuda::ColumnSource<P>{lists_.positions(), lists_.columns()});
            break;
        case ForcePath::reordered:
        case ForcePath::automatic:
            chunks_.for_each(
                source(),
                [&](ChunkView<Slot> const& chunk, cudaStream_t stream) {
                    with_positions([&]<class Q>(PositionView<Q> const& positions) {
                        cuda::launch_reorder<Q, Slot>(positions, lists_.outer(),
                                                      tables_.cutoff_ranges(), chunk, step_gate,
                                                      stream);
                    });
                },
                overlap,
                [&](ChunkView<Slot> const& chunk) {
                    use(cuda::ChunkSource<Slot>{chunk, particles_.view().species});
                });
            break;
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::build_lists(ListPositions positions, cuda::StepGate const& step_gate)
{
    nvtx3::scoped_range const range("build lists");
    lists_.build(particles_, positions, step_gate);
    chunks_.invalidate();
}

template <class P, class Slot>
void CudaBackend<P, Slot>::compute_forces(cuda::StepGate const& step_gate, Overlap overlap)
{
    nvtx3::scoped_range const range("forces");
    CudaStageClock::Interval const interval(clock_, CudaStage::all_forces);
    {
        CudaStageClock::Interval const pruning(clock_, CudaStage::reorder);
        lists_.prune(tables_, step_gate);
    }
    if (overlap == Overlap::streams && fuses_ && reorder_with_forces(step_gate))
    {
        return;
    }
    for_each_source(step_gate, overlap, [&](auto const& source) {
        CudaStageClock::Interval const force(clock_, CudaStage::force);
        cuda::launch_forces(source, potential(false), particles_.view().force, step_gate,
                            stream_.get());
    });
}

/// Reorder and forces in one kernel, slice by slice; false if this potential has none.
template <class P, class Slot>
bool CudaBackend<P, Slot>::reorder_with_forces(cuda::StepGate const& step_gate)
{
    if (!cuda::fuses(tables_.species_count(), config_.potential.truncation))
    {
        return false;
    }
    chunks_.fill_each(source(), [&](ChunkView<Slot> const& chunk) {
        with_positions([&]<class Q>(PositionView<Q> const& positions) {
            cuda::launch_reorder_and_forces<Q, Slot>(
                positions, lists_.outer(), tables_.cutoff_ranges(),
                {chunk, particles_.view().species}, potential(false), particles_.view().force,
                step_gate, stream_.get());
        });
    });
    return true;
}

template <class P, class Slot>
void CudaBackend<P, Slot>::queue_integrate(cuda::Kicks kicks, cuda::StepGate const& step_gate)
{
    nvtx3::scoped_range const range("integrate");
    CudaStageClock::Interval const interval(clock_, CudaStage::integrate);
    cuda::ParticleArrays const now = particles_.arrays();
    cuda::launch_integrate<P>(particles_.view(),
                              {lists_.encoded(), lists_.compact(), now.reference, now.rank},
                              {particles_.box(), lists_.space(), lists_.compact_space(),
                               config_.run.dt, kicks, tables_.species_count()},
                              step_gate, stream_.get());
}

/// One step, as a textbook has it; the second half kick waits for the next step's first.
template <class P, class Slot>
void CudaBackend<P, Slot>::queue_step(std::int64_t place, cuda::Kicks kicks, Overlap overlap)
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
    compute_forces(gate(0), Overlap::streams);
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
    if (steps == replay_steps && done_ > 0 && !pending_)
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
                       serial ? Overlap::none : Overlap::streams);
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
                queue_step(place, cuda::Kicks::both_halves, Overlap::streams);
            }
        });
        clock_.suspend(false);
    }
    else if (path_ == ForcePath::reordered)
    {
        for (std::int64_t place = 1; place <= replay_steps; ++place)
        {
            chunks_.count_replay(source());
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
        report_runaway(static_cast<std::int64_t>(faults.runaway));
    }
    // With several faults the first is mended, and the next try shows the rest.
    if (lists_.grow_list(faults))
    {
        pending_->rebuild = pending_->rebuild.value_or(ListPositions::present);
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
        notify_(fmt::format("reordered rows need {} slots: grown, and reordered again",
                            faults.chunk_slots));
    }
    else
    {
        throw RunError(fmt::format("step {}: a step was stopped for no reason that is known",
                                   step_ + done_ + 1));
    }
    ++regrowths_;
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

template <class P, class Slot>
void CudaBackend<P, Slot>::advance(std::int64_t steps)
{
    selected(config_.device.index);
    nvtx3::scoped_range const range("advance");
    done_ = 0;
    while (done_ < steps)
    {
        std::int64_t const left = steps - done_ - (pending_ ? 1 : 0);
        run_batch(batch_length(left), steps);
    }
    step_ += steps;
}

template <class P, class Slot>
void CudaBackend<P, Slot>::check_start()
{
    unsigned long long* const fault = &faults_.data()->overlap;
    faults_.upload(no_faults_.span(), stream_.get());
    cuda::ParticleArrays const now = particles_.arrays();
    cuda::launch_check_forces(particles_.view().force, now.rank, particles_.count(), fault,
                              stream_.get());
    cuda::launch_check_overlap<P>(lists_.positions(), lists_.outer(), now.rank, fault,
                                  stream_.get());
    read_back(1);
    if (host_faults_[0].overlap != ~0ULL)
    {
        throw RunError(fmt::format(
            "step {}: the force on particle {} is not finite: another particle is at its place or "
            "absurdly close; move one of them, or start from a lattice or random placement with a "
            "min_distance",
            step_, particles_.id(static_cast<std::int64_t>(host_faults_[0].overlap))));
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::report_runaway(std::int64_t rank)
{
    State now;
    particles_.save(now);
    auto const at = static_cast<std::size_t>(rank);
    Vec3<double> const x = now.position[at];
    Vec3<double> const v = now.velocity[at];
    throw RunError(fmt::format(
        "step {}: particle {} at ({:.6g}, {:.6g}, {:.6g}) has speed {:.6g} and would move more "
        "than "
        "half a box in one step: the run has become unstable; a smaller run.dt, a start with no "
        "overlapping particles or a lower temperature cures it",
        step_ + done_ + 1, particles_.id(rank), x.x, x.y, x.z, std::sqrt(dot(v, v))));
}

template <class P, class Slot>
EnergySum CudaBackend<P, Slot>::sum_energies(bool sharp)
{
    auto* const sums = reinterpret_cast<EnergySum*>(warp_sums_.data());
    for_each_source({}, Overlap::none, [&](auto const& source) {
        cuda::launch_energies(source, potential(sharp), sums, stream_.get());
    });
    constexpr int width = sizeof(EnergySum) / sizeof(double);
    cuda::launch_sum(warp_sums_.data(), warps(), width, totals_.data(), stream_.get());
    totals_.download(host_totals_.span().first(width), stream_.get());
    stream_.synchronize();
    double const* const t = host_totals_.data();
    return {t[0], t[1], t[2], t[3], t[4], t[5], t[6]};
}

template <class P, class Slot>
Sample CudaBackend<P, Slot>::sample()
{
    selected(config_.device.index);
    nvtx3::scoped_range const range("sample");
    StageTimer const timer(seconds_.observables);
    Sample sample;
    EnergySum const sum = sum_energies(false);
    sample.potential_energy = sum.energy;
    sample.virial = {sum.xx, sum.xy, sum.xz, sum.yy, sum.yz, sum.zz};
    if (config_.potential.tail_correction)
    {
        EnergySum const sharp = sum_energies(true);
        sample.sharp_potential_energy = sharp.energy;
        sample.sharp_virial = {sharp.xx, sharp.xy, sharp.xz, sharp.yy, sharp.yz, sharp.zz};
    }
    cuda::launch_kinetic(particles_.view(), reinterpret_cast<KineticSum*>(warp_sums_.data()),
                         stream_.get());
    cuda::launch_sum(warp_sums_.data(), slice_count(particles_.count(), 1), sum_width,
                     totals_.data(), stream_.get());
    totals_.download(host_totals_.span(), stream_.get());
    stream_.synchronize();
    double const* const t = host_totals_.data();
    sample.kinetic = {t[0], t[1], t[2], t[3], t[4], t[5]};
    sample.momentum = {t[6], t[7], t[8]};
    return sample;
}

template <class P, class Slot>
void CudaBackend<P, Slot>::count_pairs(std::vector<std::uint64_t>& pairs)
{
    selected(config_.device.index);
    StageTimer const timer(seconds_.observables);
    std::size_t const bins = pairs.size();
    if (histogram_.size() != bins)
    {
        histogram_ = DeviceBuffer<std::uint64_t>(bins, stream_.get());
    }
    histogram_.fill_bytes(0, stream_.get());
    for_each_source({}, Overlap::none, [&](auto const& source) {
        cuda::launch_pair_counts(source,
                                 {histogram_.data(), static_cast<int>(bins), min_cutoff(config_)},
                                 stream_.get());
    });
    std::vector<std::uint64_t> from_both_sides(bins);
    histogram_.download(from_both_sides, stream_.get());
    stream_.synchronize();
    for (std::size_t bin = 0; bin < bins; ++bin)
    {
        pairs[bin] += from_both_sides[bin] / 2;
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::save(State& state)
{
    selected(config_.device.index);
    particles_.save(state);
    state.step = step_;
}

template <class P, class Slot>
BackendReport CudaBackend<P, Slot>::report() const
{
    BackendReport report;
    report.device = device_;
    report.path = path_;
    report.precision = config_.force.precision;
    report.threads = 1;
    report.seconds = seconds_;
    double const scale = timed_steps_ > 0
                             ? static_cast<double>(steps_run_) / static_cast<double>(timed_steps_)
                             : 0.0;
    auto const at = [&](CudaStage stage) {
        return scale * timed_[static_cast<std::size_t>(stage)];
    };
    report.seconds.reorder = at(CudaStage::reorder);
    report.seconds.force = at(CudaStage::force);
    report.seconds.integrate = at(CudaStage::integrate);
    double const hidden = report.seconds.reorder + report.seconds.force - at(CudaStage::all_forces);
    report.hidden_reorder_share =
        report.seconds.reorder > 0.0 ? std::clamp(hidden / report.seconds.reorder, 0.0, 1.0) : 0.0;
    report.cache = chunks_.counters();
    report.rebuilds = lists_.builds() + device_builds_;
    report.regrowths = regrowths_;
    report.mean_neighbors = mean_neighbors_;
    report.max_neighbors = max_neighbors_;
    report.bytes.emplace_back("particles", particles_.bytes());
    lists_.append_bytes(report.bytes);
    if (path_ == ForcePath::reordered)
    {
        report.bytes.emplace_back("chunks", chunks_.bytes());
    }
    return report;
}

std::unique_ptr<Backend> make_cuda_backend(Config const& config, Notify notify)
{
    int const devices = cuda_device_count();
    if (config.device.index < 0 || config.device.index >= devices)
    {
        throw ConfigError(
            fmt::format("device: cuda:{}: there are {} CUDA devices; use device: "
                        "cpu, or a number below that",
                        config.device.index, devices));
    }
    bool const packed = config.reorder.format == ChunkFormat::packed &&
                        config.system.species.size() <= max_packed_species;
    switch (config.force.precision)
    {
        case Precision::double_:
            return std::make_unique<CudaBackend<DoublePosition, DoubleSlot>>(config, notify);
        case Precision::single:
            if (packed)
            {
                return std::make_unique<CudaBackend<FloatPosition, PackedSlot>>(config, notify);
            }
            return std::make_unique<CudaBackend<FloatPosition, FloatSlot>>(config, notify);
        case Precision::mixed:
            break;
    }
    if (packed)
    {
        return std::make_unique<CudaBackend<FixedPosition, PackedSlot>>(config, notify);
    }
    return std::make_unique<CudaBackend<FixedPosition, FloatSlot>>(config, notify);
}

int cuda_device_count()
{
    int count = 0;
    // No driver is an answer, not a failure.
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}  // namespace tessera
