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

/// A run's order of events: step 0, then every k of each output, a last checkpoint at the end.
///
/// Frames and thermo rows whose step a resumed run has written before are not written again.
class Simulation
{
public:
    /// `rdf` continues a checkpoint's; a fresh run passes {}.
    Simulation(Config config, State state, Rdf rdf, std::unique_ptr<Backend> backend);

    /// Runs until `last_step`. Throws RunError with the last good state checkpointed.
    Ending run(std::int64_t last_step, Hooks const& hooks);

    State const& state() const
    {
        return state_;
    }
    Rdf const& rdf() const
    {
        return rdf_;
    }
    /// First and last sampled observables of this process.
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
    Config config_;
    State state_;
    Rdf rdf_;
    std::unique_ptr<Backend> backend_;
    std::optional<TailCorrection> sharp_tail_;
    Observables first_, last_;
    double wall_seconds_ = 0.0;
    double io_seconds_ = 0.0;
};

}  // namespace tessera
