#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/backend/backend.hpp"
#include "engine/config/config.hpp"
#include "engine/state/clock.hpp"
#include "engine/state/observables.hpp"
#include "engine/state/soundness.hpp"
#include "engine/state/state.hpp"

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
    /// Called once more after any hook threw IoError: must then leave alone what failed.
    std::function<void(Checkpoint const&)> checkpoint;
    std::function<void(Progress const&)> progress;  ///< a few times a second at most
    std::function<bool()> stop_requested;           ///< asked between batches of steps
};

enum class Ending
{
    finished,
    stopped  ///< on request or at the wall-time limit, after a checkpoint
};

/// Whether a run starts at its first step or goes on from a checkpoint. The step of a checkpoint
/// has been sampled for g(r); its frame and row are handed to the hooks once more, since they may
/// be what could not be written: outputs skip what they hold.
enum class Beginning
{
    fresh,
    resumed
};

/// A run's order of events: step 0, then every k of each output, a last checkpoint at the end.
///
/// Nothing of a step is handed to a hook before all that the step would write is known to be a
/// result: every particle sound, every sum finite. A step that is not ends the run, and what was
/// last saved stays the last good state.
///
/// The backend takes over the state at construction and computes its forces.
class Simulation
{
public:
    /// `checkpoint` holds the state to start from; its rdf is empty for a fresh run, and is dropped
    /// where sampling starts after its step. Throws RunError if the start is not sound, ConfigError
    /// if the rdf of the checkpoint has other bins than `config` asks for, or if a tail correction
    /// is asked for without a volume.
    Simulation(Config config, Checkpoint checkpoint, Beginning beginning,
               std::unique_ptr<Backend> backend);

    /// Runs until `last_step`. Throws RunError if a step went wrong, saying where the last
    /// checkpoint stands. If a hook throws IoError, an emergency checkpoint of the present step is
    /// tried, and the error goes on with what became of it. Other errors of the hooks go through.
    Ending run(std::int64_t last_step, Hooks const& hooks);

    /// The last state that was saved, which is good; the last step's once run() has returned.
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
    /// What of the present step is to be written.
    struct Due
    {
        bool trajectory = false, thermo = false, rdf = false, checkpoint = false;
    };

    Ending run_steps(std::int64_t last_step, Hooks const& hooks);
    Due due() const;
    void require_sound();
    void observe();
    void save();
    void start_rdf();
    void sample_rdf();
    void emit(Due const& due, Hooks const& hooks);
    void save_checkpoint(Hooks const& hooks);
    std::string save_emergency(Hooks const& hooks);
    std::string last_checkpoint(Hooks const& hooks) const;
    std::int64_t next_event(std::int64_t last_step) const;

    Config config_;
    Checkpoint now_;  // the last good state; rdf is ahead of it by the samples since
    State scratch_;   // what the backend saves goes here until it is known to be good
    Beginning beginning_;
    std::unique_ptr<Backend> backend_;
    SoundRules rules_;
    Clock clock_;
    std::optional<TailCorrection> sharp_tail_;
    Observables first_, last_;
    std::int64_t step_ = 0;            // the backend's
    std::int64_t observed_step_ = -1;  // of last_
    std::int64_t saved_step_ = -1;     // of now_.state, once the backend has saved it
    std::int64_t checkpointed_step_ = -1;
    double wall_seconds_ = 0.0;
    double io_seconds_ = 0.0;
};

}  // namespace tessera
