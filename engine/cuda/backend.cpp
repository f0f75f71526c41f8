#include "engine/cuda/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nvtx3/nvtx3.hpp>

#include "engine/backend/forecast.hpp"
#include "engine/backend/stage_timer.hpp"
#include "engine/config/errors.hpp"
#include "engine/config/precision.hpp"
#include "engine/cuda/sources.hpp"

namespace tessera
{
namespace
{

/// Bits of the largest squared displacement that keeps lists complete. The float is rounded down,
/// and drifts round up.
std::uint32_t displacement_limit(double skin)
{
    double const limit_sq = allowed_move(skin) * allowed_move(skin);
    auto const nearest = static_cast<float>(
        std::min(limit_sq, static_cast<double>(std::numeric_limits<float>::max())));
    float const limit = nearest > limit_sq ? std::nextafter(nearest, 0.0F) : nearest;
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
    select_device();
    step_ = state.step;
    // Everything but the chunks must fit; chunks then take what is left, in windows if need be.
    require_room(config_, state.particle_count(),
                 forecast_cuda(config_, state.particle_count(), state.box, StartMemory::taken));
    particles_.load(state);
    tables_ = CudaTables<Real>(config_, stream_.get(), copy_limit(state.box));
    rules_ = sound_rules(config_, state.box);
    if (path_ == ForcePath::shoc && config_.force.lanes.value_or(1) != 1)
    {
        notify_(
            fmt::format("force.lanes: {} has no effect: the path shoc has one thread a particle",
                        *config_.force.lanes));
    }
    if (path_ == ForcePath::automatic)
    {
        choose_path();
    }
    prepare(path_);
    pending_ = Pending{ListPositions::kept};
    finish_pending();
}

/// By the coarsest positions that a run may have.
template <class P, class Slot>
double CudaBackend<P, Slot>::copy_limit(Box const& box)
{
    if constexpr (std::is_same_v<P, FixedPosition> && std::is_same_v<Slot, PackedSlot>)
    {
        return nearest_copy_limit<CompactPosition>(box);
    }
    return nearest_copy_limit<P>(box);
}

template <class P, class Slot>
void CudaBackend<P, Slot>::prepare(ForcePath path)
{
    path_ = path;
    replay_ = Graph();
    // Chunks of a size that was asked for go through the streams.
    on_chip_ = path == ForcePath::reordered && !config_.reorder.chunk_particles;
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
    else
    {
        chunks_.drop();
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
void CudaBackend<P, Slot>::advance(std::int64_t steps)
{
    select_device();
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
BackendReport CudaBackend<P, Slot>::report() const
{
    BackendReport report;
    report.device = device_;
    report.path = path_;
    report.precision = config_.force.precision;
    report.threads = 1;
    report.lanes = lists_.lanes();
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
    report.timeline = timeline_;
    report.cache = chunks_.counters();
    report.rebuilds = lists_.builds() + device_builds_;
    report.regrowths = regrowths_;
    report.mean_neighbors = mean_neighbors_;
    report.max_neighbors = max_neighbors_;
    report.bytes.emplace_back("particles", particles_.bytes());
    lists_.append_bytes(report.bytes);
    if (chunks_.bytes() > 0)
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
    bool const packed = packs_chunks(config);
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
