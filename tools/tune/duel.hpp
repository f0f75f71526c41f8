#pragma once
/// How `tessera tune` times: whole steps of two settings in turn, from the same molten state.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// Seconds a step of both, [round]; nothing is in it but `fault` if the challenger could not run.
struct Duel
{
    std::vector<double> present, challenger;
    std::int64_t steps = 0;  ///< in a sample
    std::string fault;
};

class Arena
{
public:
    /// Runs some hundred steps of `config` from `state`, for `seconds` at most unless the first
    /// fifty take longer: lists are then rebuilt as often as they will be. Every duel starts from
    /// where they end. Throws what a run would.
    Arena(Config const& config, State const& state, double seconds, Notify notify);

    /// Times the present setting and `challenger` in turn for about `seconds`, three rounds at
    /// least. A challenger that does not fit into memory beside the present one is a fault.
    Duel fight(Config const& challenger, double seconds);

    /// Makes `config` the present setting.
    void crown(Config const& config);

    /// The present setting; its path is never `automatic`.
    Config const& present() const
    {
        return config_;
    }
    BackendReport report() const
    {
        return backend_->report();
    }
    std::int64_t particles() const
    {
        return molten_.particle_count();
    }
    std::int64_t molten_steps() const
    {
        return melt_steps_;
    }

private:
    std::int64_t sample_steps(Config const& challenger, double seconds) const;

    Config config_;
    std::unique_ptr<Backend> backend_;
    State molten_;
    std::int64_t melt_steps_ = 0;
    double step_seconds_ = 0.0;     // of the present setting
    double steps_a_rebuild_ = 0.0;  // at rebuild_skin_
    double rebuild_skin_ = 0.0;
};

}  // namespace tessera
