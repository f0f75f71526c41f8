#include "engine/state/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/config/errors.hpp"

namespace tessera
{

std::vector<Problem> check_length(RunConfig const& run)
{
    std::vector<Problem> problems;
    if (run.steps < 0)
    {
        problems.push_back({"run.steps", fmt::format("is {}; a run cannot go backwards; give 0 or "
                                                     "more",
                                                     run.steps)});
    }
    if (run.steps > most_steps)
    {
        problems.push_back(
            {"run.steps",
             fmt::format("is {}; steps are counted up to {}; give fewer", run.steps, most_steps)});
    }
    if (!(run.dt > 0.0 && std::isfinite(run.dt)))
    {
        problems.push_back(
            {"run.dt", fmt::format("is {}; time goes forward; give a number above 0", run.dt)});
    }
    else if (!std::isfinite(run.dt * static_cast<double>(run.steps)))
    {
        problems.push_back({"run.dt", fmt::format("is {}; {} such steps are longer than a number "
                                                  "can be; give a smaller one",
                                                  run.dt, run.steps)});
    }
    return problems;
}

std::int64_t last_step_after(State const& start, std::int64_t steps, double dt)
{
    if (start.step < 0 || start.step > most_steps || steps > most_steps - start.step)
    {
        throw ConfigError(fmt::format(
            "run.steps: {} steps from step {} lead past step {}, up to which steps are counted; "
            "give fewer",
            steps, start.step, most_steps));
    }
    std::int64_t const last = start.step + steps;
    double const time = Clock(start.step, start.time, dt).time(last);
    if (!std::isfinite(time) || (steps > 0 && time + dt == time))
    {
        throw ConfigError(fmt::format(
            "run.dt: is {}, of which {} steps from time {} lead to time {}, where one more step "
            "does not move the clock; give a dt that goes with the time",
            dt, steps, start.time, time));
    }
    return last;
}

Clock::Clock(std::int64_t step, double time, double dt) : dt_(dt)
{
    double const steps = std::round(time / dt);
    bool const countable = std::abs(steps) <= static_cast<double>(most_steps);
    if (countable && std::abs(time - steps * dt) < 1e-9 * dt * std::max(1.0, steps))
    {
        origin_ = step - static_cast<std::int64_t>(steps);
    }
    else
    {
        origin_ = step;
        offset_ = time;
    }
}

}  // namespace tessera
