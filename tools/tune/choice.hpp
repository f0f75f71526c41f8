#pragma once
/// How `tessera tune` decides: no timing here, only what timings mean.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera
{

/// A challenger's speed as a multiple of the present setting's.
struct Comparison
{
    double speed_up = 1.0;  ///< median over rounds of present / challenger seconds
    double spread = 0.0;    ///< interquartile range of those ratios
};

/// Compares samples that were taken in turn, [round], so that a machine that changes its speed
/// changes both of a round. Both have the same number of rounds, at least one.
Comparison compare(std::vector<double> const& present, std::vector<double> const& challenger);

/// Less than this is not worth a key in an input, whatever the spread.
inline constexpr double least_gain = 0.01;

/// Whether the challenger is faster by more than the spread.
bool wins(Comparison const& comparison);

/// The challengers of one knob, all compared with the same present setting.
struct Contest
{
    std::string knob;     ///< "path"
    std::string present;  ///< "reordered"
    std::vector<std::string> challengers;
    std::vector<Comparison> comparisons;  ///< [challenger]
};

/// The fastest of the challengers that win; empty: the present setting stays.
std::optional<std::size_t> choose(std::vector<Comparison> const& comparisons);

/// The choice in one sentence: by how much the winner beat the present setting and the second, or
/// why the present one stays.
std::string explain(Contest const& contest);

}  // namespace tessera
