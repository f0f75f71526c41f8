#pragma once
/// The steps of a run and their times.

#include <cstdint>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// Steps are counted up to here, so that they are exact in a double too.
inline constexpr std::int64_t most_steps = std::int64_t{1} << 53;

/// Faults of the number and the length of the steps that an input asks for. Part of check().
std::vector<Problem> check_length(RunConfig const& run);

/// The step that `steps` more lead to from `start`. Throws ConfigError if it cannot be counted, if
/// its time is not finite, or if a step of `dt` would not move the clock.
std::int64_t last_step_after(State const& start, std::int64_t steps, double dt);

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

}  // namespace tessera
