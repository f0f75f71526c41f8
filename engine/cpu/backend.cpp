#include "engine/cpu/backend.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "engine/backend/choose_path.hpp"
#include "engine/backend/stage_timer.hpp"
#include "engine/backend/step.hpp"
#include "engine/config/errors.hpp"
#include "engine/config/machine.hpp"
#include "engine/cpu/forecast.hpp"
#include "kernels/force/force.hpp"
#include "kernels/motion/integrate.hpp"

namespace tessera
{
namespace
{

/// The slices in order, whatever threads summed them.
template <class Sum>
Sum total_of(std::vector<Sum> const& slices)
{
    Sum total;
    for (Sum const& slice : slices)
    {
        total += slice;
    }
    return total;
}

}  // namespace

template <class P, class Slot>
CpuBackend<P, Slot>::CpuBackend(Config const& config, Plan const& plan, Notify notify)
    : config_(config),
      plan_(plan),
      notify_(notify),
      path_(config.force.path),
      threads_(thread_count(config.threads)),
      tables_(config),
      lists_(plan, notify),
      chunks_(plan, notify)
{
}

template <class P, class Slot>
template <class Use>
void CpuBackend<P, Slot>::for_each_source(Use const& use)
{
    if (path_ != ForcePath::reordered)
    {
        use(cpu::ListSource<P>{lists_.positions(), lists_.active()});
        return;
    }
    chunks_.for_each(lists_.positions(), lists_.candidates(), tables_.cutoff_ranges(),
                     [&](ChunkView<Slot> const& chunk, int worker) {
                         use(cpu::ChunkSource<Slot>{chunk, particles_.species(), worker});
                     });
}

/// One level of threads, whatever the OMP_ variables say: loops inside parallel loops, such as the
/// reorder of one chunk, are for callers that have no threads at work.
template <class P, class Slot>
void CpuBackend<P, Slot>::use_threads() const
{
    omp_set_num_threads(threads_);
    omp_set_max_active_levels(1);
}

template <class P, class Slot>
void CpuBackend<P, Slot>::load(State const& state)
{
    require_room(config_, state.particle_count(),
                 forecast_cpu(config_, state.particle_count(), state.box, StartMemory::taken));
    use_threads();
    step_ = state.step;
    particles_.load(state);
    tables_ = PotentialTables<Real>(config_, nearest_copy_limit<P>(state.box));
    rules_ = sound_rules(config_, state.box);
    auto const prepare_path = [this](ForcePath path) {
        prepare(path);
    };
    auto const trial = [this] {
        chunks_.invalidate();
        lists_.update(particles_, tables_, 0.0);
        compute_forces();
    };
    prepare(path_ == ForcePath::automatic
                ? choose_path({ForcePath::reordered, ForcePath::gather, ForcePath::shoc}, 4,
                              prepare_path, trial, notify_)
                : path_);
    compute_forces();
    max_displacement_sq_ = 0.0;
}

template <class P, class Slot>
void CpuBackend<P, Slot>::prepare(ForcePath path)
{
    path_ = path;
    Layout const layout = cpu_layout(plan_, path, particles_.count(), particles_.box());
    if (layout.chunk_slots > 0)
    {
        chunks_.prepare(layout);
    }
    else
    {
        chunks_.drop();
    }
    lists_.prepare(layout);
    lists_.build(particles_, tables_);
}

template <class P, class Slot>
void CpuBackend<P, Slot>::submit(std::int64_t steps)
{
    submitted_ = steps;
}

template <class P, class Slot>
Outcome CpuBackend<P, Slot>::collect()
{
    use_threads();
    for (std::int64_t n = 0; n < submitted_; ++n)
    {
        advance_one_step(*this);
        ++step_;
    }
    return {submitted_};
}

template <class P, class Slot>
void CpuBackend<P, Slot>::kick_and_drift()
{
    StageTimer const timer(seconds_.integrate);
    DriftResult const drift = cpu::kick_and_drift(
        particles_.view(), {particles_.box(), rules_.limits, config_.run.dt,
                            particles_.list_position().data(), particles_.id()});
    chunks_.invalidate();
    if (drift.runaway)
    {
        stop_at_particle(particles_.full_state(), *drift.runaway, step_ + 1, rules_);
    }
    max_displacement_sq_ = drift.max_displacement_sq;
}

template <class P, class Slot>
void CpuBackend<P, Slot>::update_neighbors()
{
    lists_.update(particles_, tables_, max_displacement_sq_);
}

template <class P, class Slot>
void CpuBackend<P, Slot>::compute_forces()
{
    double const reorder_before = chunks_.reorder_seconds();
    double elapsed = 0.0;
    {
        StageTimer const timer(elapsed);
        auto const potential =
            path_ == ForcePath::reordered ? tables_.chunk_potential() : tables_.list_potential();
        for_each_source([&](auto const& source) {
            cpu::compute_forces(source, potential, particles_.force().data());
        });
    }
    seconds_.force += elapsed - (chunks_.reorder_seconds() - reorder_before);
}

template <class P, class Slot>
void CpuBackend<P, Slot>::recompute_forces(std::int64_t times, Reuse reuse)
{
    use_threads();
    for (std::int64_t n = 0; n < times; ++n)
    {
        if (reuse == Reuse::none)
        {
            chunks_.invalidate();
            lists_.prune(tables_);
        }
        compute_forces();
    }
}

template <class P, class Slot>
void CpuBackend<P, Slot>::kick()
{
    StageTimer const timer(seconds_.integrate);
    cpu::kick(particles_.view(), config_.run.dt);
}

template <class P, class Slot>
std::optional<std::int64_t> CpuBackend<P, Slot>::find_unsound()
{
    StageTimer const timer(seconds_.observables);
    return cpu::find_unsound(particles_.view(), particles_.id(), rules_.dt, rules_.limits);
}

template <class P, class Slot>
EnergySum CpuBackend<P, Slot>::sum_energies(bool sharp)
{
    bool const chunked = path_ == ForcePath::reordered;
    auto const potential =
        sharp ? (chunked ? tables_.sharp_chunk_potential() : tables_.sharp_list_potential())
              : (chunked ? tables_.chunk_potential() : tables_.list_potential());
    std::vector<EnergySum> slices(static_cast<std::size_t>(slice_count(particles_.count(), 1)));
    for_each_source(
        [&](auto const& source) { cpu::compute_energies(source, potential, slices.data()); });
    return total_of(slices);
}

template <class P, class Slot>
PairMeans CpuBackend<P, Slot>::sum_pair_observables()
{
    PairObservableSettings settings = pair_settings(config_);
    settings.inside = nearest_copy_limit<P>(particles_.box());
    PairMeans sums;
    for (std::size_t place = 0; place < sums.size(); ++place)
    {
        if (is_wanted(place, settings))
        {
            std::vector<PairSum> slices(
                static_cast<std::size_t>(slice_count(particles_.count(), 1)));
            for_each_source([&](auto const& source) {
                cpu::sum_pairs(source, place, settings, slices.data());
            });
            sums[place] = total_of(slices).value;
        }
    }
    return sums;
}

template <class P, class Slot>
Sample CpuBackend<P, Slot>::sample()
{
    use_threads();
    StageTimer const timer(seconds_.observables);
    EnergySum const pairs = sum_energies(false);
    std::optional<EnergySum> sharp;
    if (config_.potential.tail_correction)
    {
        sharp = sum_energies(true);
    }
    std::vector<KineticSum> slices(static_cast<std::size_t>(slice_count(particles_.count(), 1)));
    cpu::sum_kinetic(particles_.view(), slices.data());
    return make_sample(pairs, sharp, total_of(slices), sum_pair_observables());
}

template <class P, class Slot>
void CpuBackend<P, Slot>::count_pairs(std::vector<std::uint64_t>& pairs)
{
    use_threads();
    StageTimer const timer(seconds_.observables);
    std::size_t const bins = pairs.size();
    auto const workers = static_cast<std::size_t>(omp_get_max_threads());
    std::vector<std::uint64_t> histograms(workers * bins, 0);
    double const range = plan_.min_cutoff;
    HistogramView const histogram{histograms.data(), static_cast<int>(bins), range,
                                  std::min(range, nearest_copy_limit<P>(particles_.box()))};
    for_each_source([&](auto const& source) { cpu::count_pairs(source, histogram); });
    for (std::size_t bin = 0; bin < bins; ++bin)
    {
        std::uint64_t from_both_sides = 0;
        for (std::size_t worker = 0; worker < workers; ++worker)
        {
            from_both_sides += histograms[worker * bins + bin];
        }
        pairs[bin] += from_both_sides / 2;
    }
}

template <class P, class Slot>
void CpuBackend<P, Slot>::save(State& state)
{
    particles_.save(state);
    state.step = step_;
}

template <class P, class Slot>
BackendReport CpuBackend<P, Slot>::report() const
{
    BackendReport report;
    report.device = fmt::format("cpu ({} threads)", threads_);
    report.path = path_;
    report.precision = config_.force.precision;
    report.threads = threads_;
    report.seconds = seconds_;
    report.seconds.sort = lists_.seconds().sort;
    report.seconds.neighbor = lists_.seconds().neighbor;
    report.seconds.reorder = chunks_.reorder_seconds();
    report.cache = chunks_.counters();
    report.rebuilds = lists_.rebuilds();
    report.regrowths = lists_.regrowths() + chunks_.regrowths();
    report.mean_neighbors = particles_.count() > 0 ? static_cast<double>(lists_.counts().pairs) /
                                                         static_cast<double>(particles_.count())
                                                   : 0.0;
    report.max_neighbors = lists_.counts().longest;
    report.bytes.emplace_back("particles", particles_.bytes());
    lists_.append_bytes(report.bytes);
    chunks_.append_bytes(report.bytes);
    return report;
}

std::unique_ptr<Backend> make_cpu_backend(Config const& config, Notify notify)
{
    Plan const plan(config);
    return with_forms(plan, [&]<class P, class Slot>() -> std::unique_ptr<Backend> {
        return std::make_unique<CpuBackend<P, Slot>>(config, plan, notify);
    });
}

}  // namespace tessera
