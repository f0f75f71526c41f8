#pragma once

#include <filesystem>

#include "engine/simulation.hpp"

namespace tessera
{

/// Throws ConfigError if no summary could be written there, or would replace what is no summary
/// without `overwrite`; to be known before the run.
void check_summary_way(std::filesystem::path const& path, bool overwrite);

/// Writes the summary of a run as JSON: sizes, rates, seconds by stage, the cache's counters, bytes
/// by array, final observables, energy drift. Throws IoError.
void write_summary(std::filesystem::path const& path, Config const& config,
                   Simulation const& simulation);

/// Two lines on stdout: how fast the run was and where its time went.
void print_summary(Simulation const& simulation);

}  // namespace tessera
