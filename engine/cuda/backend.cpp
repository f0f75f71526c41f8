#include "engine/cuda/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/backend/choose_path.hpp"
#include "engine/backend/forecast.hpp"
#include "engine/backend/stage_timer.hpp"
#include "engine/config/errors.hpp"

namespace tessera
{
namespace
{

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
CudaBackend<P, Slot>::CudaBackend(Config const& config, Plan const& plan, Notify notify)
    : config_(config),
      plan_(plan),
      notify_(std::move(notify)),
      device_(name_of(selected(config.device.index))),
      stream_(StreamPriority::high),
      timing_(stream_.get()),
      particles_(stream_.get()),
      forces_(config, plan, particles_, stream_.get(), timing_.clock()),
      steps_(config, particles_, forces_, timing_, stream_.get(), notify_),
      sums_(stream_.get())
{
}

template <class P, class Slot>
void CudaBackend<P, Slot>::select_device() const
{
    cuda_check(cudaSetDevice(config_.device.index), "select the device");
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
    forces_.load(config_);
    rules_ = sound_rules(config_, state.box);
    ForcePath const path = config_.force.path;
    if (path == ForcePath::shoc && config_.force.lanes.value_or(1) != 1)
    {
        notify_(
            fmt::format("force.lanes: {} has no effect: the path shoc has one thread a particle",
                        *config_.force.lanes));
    }
    auto const prepare_path = [this](ForcePath chosen) {
        prepare(chosen);
    };
    auto const trial = [this] {
        forces_.invalidate();
        steps_.compute_forces_of(step_, std::nullopt);
    };
    prepare_path(path == ForcePath::automatic
                     ? choose_path({ForcePath::reordered, ForcePath::gather}, 6, prepare_path,
                                   trial, notify_)
                     : path);
}

/// Lists and forces of the particles that were loaded.
template <class P, class Slot>
void CudaBackend<P, Slot>::prepare(ForcePath path)
{
    forces_.prepare(cuda_layout(plan_, path, particles_.count(), particles_.box()));
    steps_.prepare(rules_);
    steps_.compute_forces_of(step_, ListPositions::kept);
}

template <class P, class Slot>
void CudaBackend<P, Slot>::submit(std::int64_t steps)
{
    select_device();
    nvtx3::scoped_range const range("submit");
    steps_.submit(step_, steps);
}

template <class P, class Slot>
Outcome CudaBackend<P, Slot>::collect()
{
    select_device();
    nvtx3::scoped_range const range("collect");
    Outcome const outcome = steps_.collect();
    step_ += outcome.steps;
    return outcome;
}

template <class P, class Slot>
void CudaBackend<P, Slot>::recompute_forces(std::int64_t times, Reuse reuse)
{
    select_device();
    nvtx3::scoped_range const range("recompute forces");
    if (reuse == Reuse::valid)
    {
        steps_.fill_chunks(step_);
    }
    for (std::int64_t n = 0; n < times; ++n)
    {
        if (reuse == Reuse::none)
        {
            forces_.invalidate();
            forces_.compute({}, StreamUse::streams);
            continue;
        }
        forces_.consume(StreamUse::streams);
    }
    // The one wait of the call: whoever times it then has all of it.
    stream_.synchronize();
}

template <class P, class Slot>
std::optional<std::int64_t> CudaBackend<P, Slot>::find_unsound()
{
    select_device();
    StageTimer const timer(timing_.observables());
    // What follows is written to files only if the host knows that it may be.
    long long const id =
        steps_
            .find([&](cuda::StepFaults* faults) {
                cuda::find_unsound(particles_.view(), particles_.arrays().id, rules_.dt,
                                   rules_.limits, &faults->unsound, stream_.get());
            })
            .unsound;
    return id == cuda::nobody ? std::nullopt : std::optional<std::int64_t>(id);
}

template <class P, class Slot>
EnergySum CudaBackend<P, Slot>::sum_energies(Cut cut)
{
    return sums_.total<EnergySum>(forces_.warps(), [&](EnergySum* sums) {
        forces_.for_each_source({}, StreamUse::none, [&](auto const& source) {
            cuda::launch_energies(source, forces_.potential(cut), sums, stream_.get());
        });
    });
}

template <class P, class Slot>
PairMeans CudaBackend<P, Slot>::sum_pair_observables()
{
    PairObservableSettings settings = pair_settings(config_);
    settings.inside = forces_.copy_limit(particles_.box());
    PairMeans sums;
    for (std::size_t place = 0; place < sums.size(); ++place)
    {
        if (is_wanted(place, settings))
        {
            auto const queue = [&](PairSum* warp_sums) {
                forces_.for_each_source({}, StreamUse::none, [&](auto const& source) {
                    cuda::launch_pair_sum(source, place, settings, warp_sums, stream_.get());
                });
            };
            sums[place] = sums_.total<PairSum>(forces_.warps(), queue).value;
        }
    }
    return sums;
}

template <class P, class Slot>
void CudaBackend<P, Slot>::count_neighbors()
{
    cuda::StepFaults const& counts = steps_.find([&](cuda::StepFaults* faults) {
        forces_.for_each_source({}, StreamUse::none, [&](auto const& source) {
            cuda::launch_neighbor_counts(source, forces_.potential(Cut::own), faults,
                                         stream_.get());
        });
    });
    mean_neighbors_ =
        static_cast<double>(counts.neighbors) / static_cast<double>(particles_.count());
    max_neighbors_ = static_cast<std::int64_t>(counts.most_neighbors);
}

template <class P, class Slot>
Sample CudaBackend<P, Slot>::sample()
{
    select_device();
    nvtx3::scoped_range const range("sample");
    StageTimer const timer(timing_.observables());
    steps_.fill_chunks(step_);
    EnergySum const pairs = sum_energies(Cut::own);
    std::optional<EnergySum> sharp;
    if (config_.potential.tail_correction)
    {
        sharp = sum_energies(Cut::sharp);
    }
    auto const kinetic = sums_.total<KineticSum>(
        slice_count(particles_.count(), 1),
        [&](KineticSum* sums) { cuda::sum_kinetic(particles_.view(), sums, stream_.get()); });
    count_neighbors();
    return make_sample(pairs, sharp, kinetic, sum_pair_observables());
}

template <class P, class Slot>
void CudaBackend<P, Slot>::count_pairs(std::vector<std::uint64_t>& pairs)
{
    select_device();
    StageTimer const timer(timing_.observables());
    steps_.fill_chunks(step_);
    std::size_t const bins = pairs.size();
    double const inside = std::min(plan_.min_cutoff, forces_.copy_limit(particles_.box()));
    std::vector<std::uint64_t> const from_both_sides =
        sums_.counts(bins, [&](std::uint64_t* histogram) {
            forces_.for_each_source({}, StreamUse::none, [&](auto const& source) {
                cuda::launch_pair_counts(
                    source, {histogram, static_cast<int>(bins), plan_.min_cutoff, inside},
                    stream_.get());
            });
        });
    for (std::size_t bin = 0; bin < bins; ++bin)
    {
        pairs[bin] += from_both_sides[bin] / 2;
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::save(State& state)
{
    select_device();
    particles_.save(state);
    state.step = step_;
}

template <class P, class Slot>
BackendReport CudaBackend<P, Slot>::report() const
{
    BackendReport report;
    report.device = device_;
    report.precision = config_.force.precision;
    report.threads = 1;
    report.mean_neighbors = mean_neighbors_;
    report.max_neighbors = max_neighbors_;
    report.bytes.emplace_back("particles", particles_.bytes());
    timing_.fill(report);
    steps_.fill(report);
    forces_.fill(report);
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
    Plan const plan(config);
    return with_forms(plan, [&]<class P, class Slot>() -> std::unique_ptr<Backend> {
        return std::make_unique<CudaBackend<P, Slot>>(config, plan, notify);
    });
}

int cuda_device_count()
{
    int count = 0;
    // No driver is an answer, not a failure.
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

}  // namespace tessera
