#include "tools/tune/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera
{
namespace
{

/// Of sorted values, by linear interpolation.
double quantile(std::vector<double> const& sorted, double share)
{
    double const place = share * static_cast<double>(sorted.size() - 1);
    auto const below = static_cast<std::size_t>(place);
    std::size_t const above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - std::floor(place)) * (sorted[above] - sorted[below]);
}

std::string percent(double share)
{
    return fmt::format("{:.1f} %", 100.0 * share);
}

/// The fastest challenger, `left_out` not counted.
std::optional<std::size_t> fastest(std::vector<Comparison> const& comparisons,
                                   std::optional<std::size_t> left_out)
{
    std::optional<std::size_t> best;
    for (std::size_t n = 0; n < comparisons.size(); ++n)
    {
        if (n != left_out && (!best || comparisons[n].speed_up > comparisons[*best].speed_up))
        {
            best = n;
        }
    }
    return best;
}

std::string explain_stay(Contest const& contest, std::size_t best)
{
    Comparison const& other = contest.comparisons[best];
    std::string const lead =
        fmt::format("{}: {} stays; {}, the best other, was {}", contest.knob, contest.present,
                    contest.challengers[best], percent(std::abs(other.speed_up - 1.0)));
    if (other.speed_up <= 1.0)
    {
        return fmt::format("{} slower (spread {})", lead, percent(other.spread));
    }
    return other.spread >= least_gain
               ? fmt::format("{} faster, within the spread of {}", lead, percent(other.spread))
               : fmt::format("{} faster, less than the {} that a change must gain", lead,
                             percent(least_gain));
}

}  // namespace

Comparison compare(std::vector<double> const& present, std::vector<double> const& challenger)
{
    std::vector<double> ratios;
    for (std::size_t round = 0; round < std::min(present.size(), challenger.size()); ++round)
    {
        ratios.push_back(present[round] / challenger[round]);
    }
    std::sort(ratios.begin(), ratios.end());
    return {quantile(ratios, 0.5), quantile(ratios, 0.75) - quantile(ratios, 0.25)};
}

bool wins(Comparison const& comparison)
{
    return comparison.speed_up - 1.0 > std::max(comparison.spread, least_gain);
}

std::optional<std::size_t> choose(std::vector<Comparison> const& comparisons)
{
    std::optional<std::size_t> winner;
    for (std::size_t n = 0; n < comparisons.size(); ++n)
    {
        if (wins(comparisons[n]) &&
            (!winner || comparisons[n].speed_up > comparisons[*winner].speed_up))
        {
            winner = n;
        }
    }
    return winner;
}

std::string explain(Contest const& contest)
{
    if (contest.comparisons.empty())
    {
        return fmt::format("{}: {} stays; nothing else was timed", contest.knob, contest.present);
    }
    std::optional<std::size_t> const winner = choose(contest.comparisons);
    if (!winner)
    {
        return explain_stay(contest, *fastest(contest.comparisons, {}));
    }
    Comparison const& best = contest.comparisons[*winner];
    std::string text = fmt::format("{}: {}, {:.2f} times as fast as {} (spread {})", contest.knob,
                                   contest.challengers[*winner], best.speed_up, contest.present,
                                   percent(best.spread));
    std::optional<std::size_t> const second = fastest(contest.comparisons, winner);
    if (second && contest.comparisons[*second].speed_up > 1.0)
    {
        text += fmt::format(" and {:.2f} times as fast as the next, {}",
                            best.speed_up / contest.comparisons[*second].speed_up,
                            contest.challengers[*second]);
    }
    return text;
}

}  // namespace tessera
