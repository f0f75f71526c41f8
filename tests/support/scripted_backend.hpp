#pragma once
/// A backend without physics: particles fly straight, and from a given step on something is wrong.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "tests/support/systems.hpp"

namespace tessera::test
{

/// What goes wrong, and from which step on.
struct Script
{
    std::int64_t from = 0;
    std::function<void(State&)> spoil_state;    ///< what save() writes
    std::function<void(Sample&)> spoil_sample;  ///< what sample() returns
    bool unsound = false;                       ///< what find_unsound() says
    std::int64_t most_steps = 1 << 20;          ///< that it runs at once, whatever is asked for
};

class ScriptedBackend final : public Backend
{
public:
    explicit ScriptedBackend(Script script) : script_(std::move(script))
    {
    }

    void load(State const& state) override
    {
        state_ = state;
        state_.list_position = state.position;
    }
    void submit(std::int64_t steps) override
    {
        submitted_ = steps;
    }
    Outcome collect() override
    {
        std::int64_t const steps = std::min(submitted_, script_.most_steps);
        state_.step += steps;
        return {steps};
    }
    void recompute_forces(std::int64_t, Reuse) override
    {
    }
    std::optional<std::int64_t> find_unsound() override
    {
        return goes_wrong() && script_.unsound ? std::optional(state_.id[1]) : std::nullopt;
    }
    Sample sample() override
    {
        Sample sample;
        sample.potential_energy = -static_cast<double>(state_.step);
        sample.kinetic = {1.0, 0.0, 0.0, 1.0, 0.0, 1.0};
        if (goes_wrong() && script_.spoil_sample)
        {
            script_.spoil_sample(sample);
        }
        return sample;
    }
    void count_pairs(std::vector<std::uint64_t>& pairs) override
    {
        pairs[0] += 1;
    }
    void save(State& state) override
    {
        state.position = state_.position;
        state.image = state_.image;
        state.velocity = state_.velocity;
        state.force = state_.force;
        state.list_position = state_.list_position;
        state.step = state_.step;
        if (goes_wrong() && script_.spoil_state)
        {
            script_.spoil_state(state);
        }
    }
    BackendReport report() const override
    {
        return {};
    }

private:
    bool goes_wrong() const
    {
        return state_.step >= script_.from;
    }

    Script script_;
    State state_;
    std::int64_t submitted_ = 0;
};

}  // namespace tessera::test
