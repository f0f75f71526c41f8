#include "engine/cpu/backend.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backend/stage_timer.hpp"
#include "engine/backend/step.hpp"
#include "engine/config/errors.hpp"
#include "engine/config/machine.hpp"
#include "engine/config/precision.hpp"
#include "engine/cpu/forecast.hpp"
#include "kernels/force/force.hpp"
#include "kernels/motion/integrate.hpp"

namespace tessera
{

template <class P, class Slot>
CpuBackend<P, Slot>::CpuBackend(Config const& config, Notify notify)
    : config_(config),
      notify_(notify),
      path_(config.force.path),
      threads_(thread_count(config.threads)),
      tables_(config),
      lists_(config, config.force.path, notify),
      chunks_(config, notify)
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
    if (path_ == ForcePath::reordered || path_ == ForcePath::automatic)
    {
        chunks_.resize(state.particle_count(), state.density());
    }
    lists_.build(particles_, tables_);
    if (path_ == ForcePath::automatic)
    {
        choose_path();
    }
    compute_forces();
    max_displacement_sq_ = 0.0;
}

template <class P, class Slot>
void CpuBackend<P, Slot>::choose_path()
{
    std::string timings;
    double best = std::numeric_limits<double>::max();
    ForcePath chosen = ForcePath::gather;
    for (auto const& [path, name] :
         {std::pair{ForcePath::reordered, "reordered"}, std::pair{ForcePath::gather, "gather"},
          std::pair{ForcePath::shoc, "shoc"}})
    {
        path_ = path;
        lists_.set_path(path);
        lists_.build(particles_, tables_);
        double fastest = std::numeric_limits<double>::max();
        for (int trial = 0; trial < 4; ++trial)
        {
            double seconds = 0.0;
            {
                StageTimer const timer(seconds);
                chunks_.invalidate();
                lists_.update(particles_, tables_, 0.0);
                compute_forces();
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
    lists_.set_path(chosen);
    lists_.build(particles_, tables_);
    chunks_.invalidate();
    if (chosen != ForcePath::reordered)
    {
        chunks_.drop();
    }
    notify_(fmt::format("path auto: {} is the fastest here (lists and forces of one step: {})",
                        chosen == ForcePath::reordered ? "reordered"
                        : chosen == ForcePath::gather  ? "gather"
                                                       : "shoc",
                        timings));
}

template <class P, class Slot>
void CpuBackend<P, Slot>::advance(std::int64_t steps)
{
    use_threads();
    for (std::int64_t n = 0; n < steps; ++n)
    {
        advance_one_step(*this);
        ++step_;
    }
}

template <class P, class Slot>
void CpuBackend<P, Slot>::kick_and_drift()
{
    StageTimer const timer(seconds_.integrate);
    DriftResult const drift = cpu::kick_and_drift(
        particles_.view(), {particles_.box(), rules_.limits, config_.run.dt,
                            particles_.list_position().data(), particles_.rank()});
    chunks_.invalidate();
    if (drift.runaway >= 0)
    {
        stop_at_particle(particles_.full_state(), drift.runaway, step_ + 1, rules_);
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
std::int64_t CpuBackend<P, Slot>::find_unsound()
{
    StageTimer const timer(seconds_.observables);
    return cpu::find_unsound(particles_.view(), particles_.rank(), rules_.dt, rules_.limits);
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
    EnergySum total;
    for (EnergySum const& slice : slices)
    {
        total.energy += slice.energy;
        total.xx += slice.xx;
        total.xy += slice.xy;
        total.xz += slice.xz;
        total.yy += slice.yy;
        total.yz += slice.yz;
        total.zz += slice.zz;
    }
    return total;
}

template <class P, class Slot>
Sample CpuBackend<P, Slot>::sample()
{
    use_threads();
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
    std::vector<KineticSum> slices(static_cast<std::size_t>(slice_count(particles_.count(), 1)));
    cpu::sum_kinetic(particles_.view(), slices.data());
    for (KineticSum const& slice : slices)
    {
        sample.kinetic[0] += slice.xx;
        sample.kinetic[1] += slice.xy;
        sample.kinetic[2] += slice.xz;
        sample.kinetic[3] += slice.yy;
        sample.kinetic[4] += slice.yz;
        sample.kinetic[5] += slice.zz;
        sample.momentum += slice.momentum;
    }
    return sample;
}

template <class P, class Slot>
void CpuBackend<P, Slot>::count_pairs(std::vector<std::uint64_t>& pairs)
{
    use_threads();
    StageTimer const timer(seconds_.observables);
    std::size_t const bins = pairs.size();
    auto const workers = static_cast<std::size_t>(omp_get_max_threads());
    std::vector<std::uint64_t> histograms(workers * bins, 0);
    double const range = min_cutoff(config_);
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
    bool const packed = packs_chunks(config);
    switch (config.force.precision)
    {
        case Precision::double_:
            return std::make_unique<CpuBackend<DoublePosition, DoubleSlot>>(config, notify);
        case Precision::single:
            if (packed)
            {
                return std::make_unique<CpuBackend<FloatPosition, PackedSlot>>(config, notify);
            }
            return std::make_unique<CpuBackend<FloatPosition, FloatSlot>>(config, notify);
        case Precision::mixed:
            break;
    }
    if (packed)
    {
        return std::make_unique<CpuBackend<FixedPosition, PackedSlot>>(config, notify);
    }
    return std::make_unique<CpuBackend<FixedPosition, FloatSlot>>(config, notify);
}

}  // namespace tessera
