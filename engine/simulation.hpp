#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "engine/backend.hpp"
#include "engine/config.hpp"
#include "engine/observables.hpp"
#include "engine/state.hpp"

namespace tessera
{

/// One sampled state: arrays in id order, and the observables at the same step.
struct Frame
{
    State const& state;
    Observables const& observables;
};

/// Everything needed to go on: written by io, read back by `resume`.
struct Checkpoint
{
    State state;
    Rdf rdf;  ///< accumulated so far; bins empty when the run has none
};

struct Progress
{
    std::int64_t step = 0, last_step = 0;
    std::int64_t steps_done = 0;  ///< in this process
    double seconds = 0.0;         ///< wall, in this process
};

/// What the outside does at the simulation's events; unset members are skipped.
struct Hooks
{
    std::function<void(Frame const&)> trajectory;
    std::function<void(Observables const&)> thermo;
    std::function<void(Checkpoint const&)> checkpoint;
    std::function<void(Progress const&)> progress;  ///< a few times a second at most
    std::function<bool()> stop_requested;           ///< asked between batches of steps
};

enum class Ending
{
    finished,
    stopped  ///< on request or at the wall-time limit, after a checkpoint
};

/// Whether a run starts at its first step or goes on from a checkpoint, whose step has been sampled
/// and written before.
enum class Beginning
{
    fresh,
    resumed
};

/// Simulated time at each step: whole multiples of dt wherever the start allows, so that a resumed
/// run and an uninterrupted one agree in every bit.
class Clock
{
public:
    Clock(std::int64_t step, double time, double dt);

    double time(std::int64_t step) const
    {
        return offset_ + static_cast<double>(step - origin_) * dt_;
    }

private:
    double dt_;
    double offset_ = 0.0;
    std::int64_t origin_ = 0;
};

/// A run's order of events: step 0, then every k of each output, a last checkpoint at the end.
///
/// The backend takes over the state at construction and computes its forces.
class Simulation
{
public:
    /// `checkpoint` holds the state to start from; its rdf is empty for a fresh run, and is dropped
    /// where sampling starts after its step. Throws RunError if the forces of the start are not
    /// finite, ConfigError if the rdf of the checkpoint has other bins than `config` asks for.
    Simulation(Config config, Checkpoint checkpoint, Beginning beginning,
               std::unique_ptr<Backend> backend);

    /// Runs until `last_step`. Lets RunError of the backend and errors of the hooks through.
    Ending run(std::int64_t last_step, Hooks const& hooks);

    State const& state() const
    {
        return now_.state;
    }
    Rdf const& rdf() const
    {
        return now_.rdf;
    }
    /// Observables at the first and the last sampled step of this process.
    Observables const& first_observables() const
    {
        return first_;
    }
    Observables const& last_observables() const
    {
        return last_;
    }
    BackendReport report() const
    {
        return backend_->report();
    }
    /// Wall seconds inside run(), and those of them spent in the hooks.
    double wall_seconds() const
    {
        return wall_seconds_;
    }
    double io_seconds() const
    {
        return io_seconds_;
    }

private:
    void observe();
    void start_rdf();
    void sample_rdf();
    void emit_due(std::int64_t step, Hooks const& hooks);
    void save_checkpoint(Hooks const& hooks);
    std::int64_t next_event(std::int64_t step, std::int64_t last_step) const;

    Config config_;
    Checkpoint now_;
    Beginning beginning_;
    std::unique_ptr<Backend> backend_;
    Clock clock_;
    std::optional<TailCorrection> sharp_tail_;
    Observables first_, last_;
    std::int64_t saved_step_ = -1;  // of now_.state's arrays
    std::int64_t checkpointed_step_ = -1;
    double wall_seconds_ = 0.0;
    double io_seconds_ = 0.0;
};

}  // namespace tessera
