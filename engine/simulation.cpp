#include "engine/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/errors.hpp"
#include "engine/stage_timer.hpp"

namespace tessera
{
namespace
{

/// Steps run between two looks at the clock and at requests to stop take about this long.
constexpr double batch_seconds = 0.1;

bool is_due(std::int64_t step, std::int64_t every)
{
    return step % every == 0;
}

/// The first multiple of `every` after `step`.
std::int64_t next_multiple(std::int64_t step, std::int64_t every)
{
    return (step / every + 1) * every;
}

std::vector<std::int64_t> count_species(State const& state)
{
    std::vector<std::int64_t> counts(state.species_names.size(), 0);
    for (std::int32_t const species : state.species)
    {
        ++counts[static_cast<std::size_t>(species)];
    }
    return counts;
}

}  // namespace

Clock::Clock(std::int64_t step, double time, double dt) : dt_(dt)
{
    double const steps = std::round(time / dt);
    if (std::abs(time - steps * dt) < 1e-9 * dt * std::max(1.0, steps))
    {
        origin_ = step - static_cast<std::int64_t>(steps);
    }
    else
    {
        origin_ = step;
        offset_ = time;
    }
}

Simulation::Simulation(Config config, Checkpoint checkpoint, Beginning beginning,
                       std::unique_ptr<Backend> backend)
    : config_(std::move(config)),
      now_(std::move(checkpoint)),
      beginning_(beginning),
      backend_(std::move(backend)),
      clock_(now_.state.step, now_.state.time, config_.run.dt)
{
    require_box(config_, now_.state.box);
    if (config_.potential.tail_correction)
    {
        sharp_tail_ = tail_integrals(resolve_pairs(config_), count_species(now_.state),
                                     now_.state.box.volume());
    }
    if (config_.output.rdf)
    {
        start_rdf();
    }
    backend_->load(now_.state);
    observe();
    first_ = last_;
    if (!std::isfinite(first_.total_energy) || !std::isfinite(first_.pressure))
    {
        throw RunError(
            fmt::format("step {}: the energy of the start is not finite ({}): some particles are "
                        "too close; start "
                        "from a lattice, or raise system.random.min_distance",
                        now_.state.step, first_.total_energy));
    }
}

void Simulation::observe()
{
    last_ = make_observables(backend_->sample(), now_.state, sharp_tail_);
}

void Simulation::start_rdf()
{
    RdfConfig const& wanted = *config_.output.rdf;
    auto const bins = static_cast<std::size_t>(wanted.bins);
    double const range = min_cutoff(config_);
    if (now_.rdf.pairs.empty() || now_.state.step < wanted.start)
    {
        now_.rdf = Rdf{};
        now_.rdf.range = range;
        now_.rdf.pairs.assign(bins, 0);
    }
    else if (now_.rdf.pairs.size() != bins || now_.rdf.range != range)
    {
        throw ConfigError(
            fmt::format("output.rdf: g(r) of the steps so far has {} bins up to {}, now {} up to "
                        "{} are asked for; keep them, or let output.rdf.start be later than step "
                        "{}",
                        now_.rdf.pairs.size(), now_.rdf.range, bins, range, now_.state.step));
    }
}

void Simulation::sample_rdf()
{
    backend_->count_pairs(now_.rdf.pairs);
    auto const particles = static_cast<double>(now_.state.particle_count());
    now_.rdf.pair_density_sum += 0.5 * particles * (particles - 1.0) / now_.state.box.volume();
    ++now_.rdf.samples;
}

void Simulation::emit_due(std::int64_t step, Hooks const& hooks)
{
    OutputConfig const& output = config_.output;
    bool const trajectory_due = output.trajectory && is_due(step, output.trajectory->every);
    bool const thermo_due = output.thermo && is_due(step, output.thermo->every);
    if (trajectory_due || thermo_due)
    {
        observe();
    }
    // A frame's rdf and a checkpoint's must include the sample of their own step.
    if (output.rdf && step >= output.rdf->start && is_due(step, output.rdf->every))
    {
        sample_rdf();
    }
    if (trajectory_due && hooks.trajectory)
    {
        backend_->save(now_.state);
        saved_step_ = step;
        StageTimer const timer(io_seconds_);
        hooks.trajectory({now_.state, last_});
    }
    if (thermo_due && hooks.thermo)
    {
        StageTimer const timer(io_seconds_);
        hooks.thermo(last_);
    }
    if (output.checkpoint && output.checkpoint->every && step != 0 &&
        is_due(step, *output.checkpoint->every))
    {
        save_checkpoint(hooks);
    }
}

void Simulation::save_checkpoint(Hooks const& hooks)
{
    std::int64_t const step = now_.state.step;
    if (checkpointed_step_ == step || !hooks.checkpoint)
    {
        return;
    }
    if (saved_step_ != step)
    {
        backend_->save(now_.state);
        saved_step_ = step;
    }
    StageTimer const timer(io_seconds_);
    hooks.checkpoint(now_);
    checkpointed_step_ = step;
}

std::int64_t Simulation::next_event(std::int64_t step, std::int64_t last_step) const
{
    OutputConfig const& output = config_.output;
    std::int64_t next = last_step;
    if (output.trajectory)
    {
        next = std::min(next, next_multiple(step, output.trajectory->every));
    }
    if (output.thermo)
    {
        next = std::min(next, next_multiple(step, output.thermo->every));
    }
    if (output.rdf)
    {
        next = std::min(next, next_multiple(step, output.rdf->every));
    }
    if (output.checkpoint && output.checkpoint->every)
    {
        next = std::min(next, next_multiple(step, *output.checkpoint->every));
    }
    return next;
}

Ending Simulation::run(std::int64_t last_step, Hooks const& hooks)
{
    auto const start = std::chrono::steady_clock::now();
    auto const elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::int64_t const first_step = now_.state.step;
    double checkpoint_time = 0.0;
    std::int64_t batch = 1;
    Ending ending = Ending::finished;

    if (beginning_ == Beginning::fresh)
    {
        emit_due(first_step, hooks);
    }
    while (now_.state.step < last_step)
    {
        std::int64_t const steps =
            std::min(batch, next_event(now_.state.step, last_step) - now_.state.step);
        double const before = elapsed();
        backend_->advance(steps);
        now_.state.step += steps;
        now_.state.time = clock_.time(now_.state.step);
        double const taken = std::max(elapsed() - before, 1e-7);
        batch = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(batch_seconds / taken * static_cast<double>(steps)), 1,
            2 * batch);

        emit_due(now_.state.step, hooks);
        if (hooks.progress)
        {
            hooks.progress({now_.state.step, last_step, now_.state.step - first_step, elapsed()});
        }
        auto const& checkpoint = config_.output.checkpoint;
        if (checkpoint && checkpoint->wall_every &&
            elapsed() - checkpoint_time >= *checkpoint->wall_every)
        {
            save_checkpoint(hooks);
            checkpoint_time = elapsed();
        }
        bool const out_of_time = config_.run.walltime && elapsed() >= *config_.run.walltime;
        if (now_.state.step < last_step &&
            (out_of_time || (hooks.stop_requested && hooks.stop_requested())))
        {
            ending = Ending::stopped;
            break;
        }
    }
    observe();
    save_checkpoint(hooks);
    if (saved_step_ != now_.state.step)
    {
        backend_->save(now_.state);
        saved_step_ = now_.state.step;
    }
    wall_seconds_ += elapsed();
    return ending;
}

}  // namespace tessera
