#include "engine/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/backend/stage_timer.hpp"
#include "engine/config/errors.hpp"

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

/// What a backend does not save.
State identity_of(State const& state)
{
    State identity;
    identity.box = state.box;
    State::walk_identity([](auto& to, auto const& from) { to = from; }, identity, state);
    identity.species_mass = state.species_mass;
    return identity;
}

/// Exchanges what a backend saves.
void swap_motion(State& a, State& b)
{
    State::walk_motion([](auto& mine, auto& other) { mine.swap(other); }, a, b);
    a.force.swap(b.force);
}

}  // namespace

Simulation::Simulation(Config config, Checkpoint checkpoint, Beginning beginning,
                       std::unique_ptr<Backend> backend)
    : config_(std::move(config)),
      now_(std::move(checkpoint)),
      scratch_(identity_of(now_.state)),
      beginning_(beginning),
      backend_(std::move(backend)),
      rules_(sound_rules(config_, now_.state.box)),
      clock_(now_.state.step, now_.state.time, config_.run.dt),
      step_(now_.state.step)
{
    require_box(config_, now_.state.box);
    if (config_.potential.tail_correction)
    {
        if (!has_volume(now_.state.box))
        {
            throw ConfigError(
                "potential.tail_correction: is true, but the start has an open axis and so no "
                "volume; set it to false, or make every axis periodic");
        }
        sharp_tail_ = tail_integrals(resolve_pairs(config_), count_species(now_.state),
                                     now_.state.box.volume());
    }
    if (config_.output.rdf)
    {
        start_rdf();
    }
    backend_->load(now_.state);
    require_sound();
    observe();
    first_ = last_;
}

/// Throws RunError if a particle's numbers are no result.
void Simulation::require_sound()
{
    std::optional<std::int64_t> const unsound = backend_->find_unsound();
    if (unsound)
    {
        backend_->save(scratch_);
        stop_at_particle(scratch_, *unsound, step_, rules_);
    }
}

void Simulation::observe()
{
    if (observed_step_ == step_)
    {
        return;
    }
    Sample const sample = backend_->sample();
    Observables observables = make_observables(sample, now_.state, sharp_tail_);
    observables.step = step_;
    observables.time = clock_.time(step_);
    require_finite(sample, observables);
    last_ = observables;
    observed_step_ = step_;
}

/// Brings now_ to the present step, if that is good.
void Simulation::save()
{
    if (saved_step_ == step_)
    {
        return;
    }
    backend_->save(scratch_);
    std::optional<std::int64_t> const unsound = find_unsound(scratch_, rules_);
    if (unsound)
    {
        stop_at_particle(scratch_, *unsound, step_, rules_);
    }
    swap_motion(now_.state, scratch_);
    now_.state.step = step_;
    now_.state.time = clock_.time(step_);
    saved_step_ = step_;
}

void Simulation::start_rdf()
{
    if (!has_volume(now_.state.box))
    {
        now_.rdf.pair_density_sum = 0.0;
    }
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
    if (has_volume(now_.state.box))
    {
        auto const particles = static_cast<double>(now_.state.particle_count());
        now_.rdf.pair_density_sum += 0.5 * particles * (particles - 1.0) / now_.state.box.volume();
    }
    ++now_.rdf.samples;
}

Simulation::Due Simulation::due() const
{
    OutputConfig const& output = config_.output;
    Due due;
    due.trajectory = output.trajectory && is_due(step_, output.trajectory->every);
    due.thermo = output.thermo && is_due(step_, output.thermo->every);
    due.rdf = output.rdf && step_ >= output.rdf->start && is_due(step_, output.rdf->every);
    due.checkpoint = output.checkpoint && output.checkpoint->every && step_ != 0 &&
                     is_due(step_, *output.checkpoint->every);
    return due;
}

/// First everything that can go wrong with the numbers, then the hooks.
void Simulation::emit(Due const& due, Hooks const& hooks)
{
    if (due.trajectory || due.thermo || due.rdf || due.checkpoint)
    {
        require_sound();
    }
    if (due.trajectory || due.thermo)
    {
        observe();
    }
    bool const saves = (due.trajectory && hooks.trajectory) || (due.checkpoint && hooks.checkpoint);
    if (saves)
    {
        save();
    }
    // A frame's rdf and a checkpoint's must include the sample of their own step.
    if (due.rdf)
    {
        sample_rdf();
    }
    if (due.trajectory && hooks.trajectory)
    {
        StageTimer const timer(io_seconds_);
        hooks.trajectory({now_.state, last_});
    }
    if (due.thermo && hooks.thermo)
    {
        StageTimer const timer(io_seconds_);
        hooks.thermo(last_);
    }
    if (due.checkpoint)
    {
        save_checkpoint(hooks);
    }
}

void Simulation::save_checkpoint(Hooks const& hooks)
{
    if (checkpointed_step_ == step_ || !hooks.checkpoint)
    {
        return;
    }
    save();
    StageTimer const timer(io_seconds_);
    hooks.checkpoint(now_);
    checkpointed_step_ = step_;
}

/// Saves the present step after an output has failed; returns what to say of it.
std::string Simulation::save_emergency(Hooks const& hooks)
{
    if (!hooks.checkpoint)
    {
        return fmt::format(
            "the run ends at step {}, and no checkpoint was asked for (output.checkpoint)", step_);
    }
    try
    {
        save_checkpoint(hooks);
        return fmt::format(
            "the run ends at step {}, which is saved in its checkpoint: mend the cause and resume",
            step_);
    }
    catch (std::exception const& error)
    {
        return fmt::format("the run ends at step {}, and it cannot be saved ({}); {}", step_,
                           error.what(), last_checkpoint(hooks));
    }
}

std::string Simulation::last_checkpoint(Hooks const& hooks) const
{
    if (checkpointed_step_ >= 0)
    {
        return fmt::format("the last checkpoint is of step {}", checkpointed_step_);
    }
    if (beginning_ == Beginning::resumed)
    {
        return fmt::format("the last checkpoint is of step {}, from which the run was resumed",
                           first_.step);
    }
    return hooks.checkpoint ? "no checkpoint was saved before" : "no checkpoint was asked for";
}

std::int64_t Simulation::next_event(std::int64_t last_step) const
{
    OutputConfig const& output = config_.output;
    std::int64_t next = last_step;
    if (output.trajectory)
    {
        next = std::min(next, next_multiple(step_, output.trajectory->every));
    }
    if (output.thermo)
    {
        next = std::min(next, next_multiple(step_, output.thermo->every));
    }
    if (output.rdf)
    {
        next = std::min(next, next_multiple(step_, output.rdf->every));
    }
    if (output.checkpoint && output.checkpoint->every)
    {
        next = std::min(next, next_multiple(step_, *output.checkpoint->every));
    }
    return next;
}

Ending Simulation::run(std::int64_t last_step, Hooks const& hooks)
{
    try
    {
        return run_steps(last_step, hooks);
    }
    catch (RunError const& error)
    {
        throw RunError(fmt::format("{}; {}", error.what(), last_checkpoint(hooks)));
    }
    catch (IoError const& error)
    {
        throw IoError(fmt::format("{} {}", error.what(), save_emergency(hooks)));
    }
}

Ending Simulation::run_steps(std::int64_t last_step, Hooks const& hooks)
{
    auto const start = std::chrono::steady_clock::now();
    auto const elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    std::int64_t const first_step = step_;
    double checkpoint_time = 0.0;
    std::int64_t batch = 1;
    Ending ending = Ending::finished;

    Due at_start = due();
    if (beginning_ == Beginning::resumed)
    {
        at_start.rdf = at_start.checkpoint = false;
    }
    emit(at_start, hooks);
    while (step_ < last_step)
    {
        double const before = elapsed();
        backend_->submit(std::min(batch, next_event(last_step) - step_));
        std::int64_t const steps = backend_->collect().steps;
        step_ += steps;
        double const taken = std::max(elapsed() - before, 1e-7);
        batch = std::clamp<std::int64_t>(
            static_cast<std::int64_t>(batch_seconds / taken * static_cast<double>(steps)), 1,
            2 * batch);

        emit(due(), hooks);
        if (hooks.progress)
        {
            hooks.progress({step_, last_step, step_ - first_step, elapsed()});
        }
        auto const& checkpoint = config_.output.checkpoint;
        if (checkpoint && checkpoint->wall_every &&
            elapsed() - checkpoint_time >= *checkpoint->wall_every)
        {
            save_checkpoint(hooks);
            checkpoint_time = elapsed();
        }
        bool const out_of_time = config_.run.walltime && elapsed() >= *config_.run.walltime;
        if (step_ < last_step && (out_of_time || (hooks.stop_requested && hooks.stop_requested())))
        {
            ending = Ending::stopped;
            break;
        }
    }
    require_sound();
    observe();
    save();
    save_checkpoint(hooks);
    wall_seconds_ += elapsed();
    return ending;
}

}  // namespace tessera
