#include "tools/tune/duel.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "engine/config/errors.hpp"
#include "engine/devices.hpp"

namespace tessera
{
namespace
{

constexpr std::int64_t melt_block = 50;
constexpr std::int64_t most_melt_steps = 500;
constexpr std::size_t least_rounds = 3;
constexpr std::size_t wanted_rounds = 7;
constexpr std::size_t most_rounds = 15;
/// Below this a sample measures how it was started.
constexpr double least_sample_seconds = 0.02;
constexpr double most_sample_seconds = 1.0;

double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double seconds_of(Backend& backend, std::int64_t steps)
{
    double const start = seconds_now();
    backend.advance(steps);
    return seconds_now() - start;
}

/// What a candidate says about capacities is not news to the user.
std::unique_ptr<Backend> quiet_backend(Config const& config)
{
    return make_backend(config, [](std::string const&) {});
}

}  // namespace

Arena::Arena(Config const& config, State const& state, double seconds, Notify notify)
    : config_(config),
      backend_(make_backend(config, std::move(notify))),
      molten_(state),
      step_seconds_(std::numeric_limits<double>::max()),
      rebuild_skin_(config.neighbor.skin)
{
    backend_->load(state);
    config_.force.path = backend_->report().path;
    std::int64_t const rebuilds = backend_->report().rebuilds;
    double const end = seconds_now() + seconds;
    do
    {
        double const taken = seconds_of(*backend_, melt_block);
        step_seconds_ = std::min(step_seconds_, taken / static_cast<double>(melt_block));
        melt_steps_ += melt_block;
    } while (melt_steps_ < most_melt_steps && seconds_now() < end);
    auto const rebuilt = static_cast<double>(backend_->report().rebuilds - rebuilds);
    steps_a_rebuild_ = static_cast<double>(melt_steps_) / std::max(rebuilt, 1.0);
    backend_->save(molten_);
    // Another skin has lists from elsewhere: every candidate builds its own at these positions.
    molten_.list_position.clear();
}

/// Enough that a sample holds two rebuilds of lists, and as many more as seven rounds leave time
/// for.
std::int64_t Arena::sample_steps(Config const& challenger, double seconds) const
{
    double const skin = std::max(challenger.neighbor.skin, config_.neighbor.skin);
    double const wider = rebuild_skin_ > 0.0 ? std::max(skin / rebuild_skin_, 1.0) : 10.0;
    double const with_rebuilds = std::clamp(2.0 * wider * steps_a_rebuild_, 20.0, 400.0);
    double const sample = std::clamp(seconds / static_cast<double>(2 * wanted_rounds + 1),
                                     least_sample_seconds, most_sample_seconds);
    return static_cast<std::int64_t>(std::ceil(std::max(with_rebuilds, sample / step_seconds_)));
}

Duel Arena::fight(Config const& challenger, double seconds)
{
    double const end = seconds_now() + seconds;
    Duel duel;
    duel.steps = sample_steps(challenger, seconds);
    // Made anew like the challenger, so that memory which it holds is not asked for twice.
    backend_.reset();
    backend_ = quiet_backend(config_);
    backend_->load(molten_);
    std::unique_ptr<Backend> other;
    try
    {
        other = quiet_backend(challenger);
        other->load(molten_);
    }
    catch (std::exception const& error)
    {
        duel.fault = error.what();
        return duel;
    }
    // Capacities grow, memory is touched and graphs are captured outside the samples.
    std::int64_t const warm_up = std::min<std::int64_t>(duel.steps, 100);
    backend_->advance(warm_up);
    other->advance(warm_up);
    auto const steps = static_cast<double>(duel.steps);
    while (duel.present.size() < least_rounds ||
           (duel.present.size() < most_rounds && seconds_now() < end))
    {
        duel.present.push_back(seconds_of(*backend_, duel.steps) / steps);
        duel.challenger.push_back(seconds_of(*other, duel.steps) / steps);
    }
    return duel;
}

void Arena::crown(Config const& config)
{
    config_ = config;
    // Never two more than are needed in memory.
    backend_.reset();
    backend_ = quiet_backend(config);
    backend_->load(molten_);
    std::int64_t const steps = std::max<std::int64_t>(melt_block, sample_steps(config, 0.0));
    step_seconds_ = seconds_of(*backend_, steps) / static_cast<double>(steps);
}

}  // namespace tessera
