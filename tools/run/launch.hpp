#pragma once
/// What `run` and `resume` have in common: a simulation with its files, signals and summary.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/simulation.hpp"
#include "io/files/run_info.hpp"
#include "io/input/resume_rules.hpp"

namespace tessera
{

/// The run that is resumed, as its checkpoint tells of it.
struct EarlierRun
{
    std::filesystem::path checkpoint;  ///< as it was named
    Config config;
    RunInfo info;
    std::vector<ChangedKey> changes;  ///< from that config to this one's
};

struct Launch
{
    Config config;
    Checkpoint checkpoint;  ///< the start
    Beginning beginning = Beginning::fresh;
    std::int64_t last_step = 0;
    std::filesystem::path input;        ///< of a fresh run
    std::optional<EarlierRun> earlier;  ///< of a resumed one
    std::filesystem::path output_dir;   ///< empty: the working directory
    std::filesystem::path summary;      ///< empty: none
    bool overwrite = false;             ///< whether files that are not this run's may be replaced
    bool quiet = false;                 ///< neither table nor progress line
};

/// Runs to the end, or until a request to stop (tools/run/signals.hpp) or the wall-time limit,
/// which finish the step, write a checkpoint and close the files. Returns the exit code: 0, 3, or 1
/// if it was stopped and no checkpoint was asked for.
int launch(Launch launch);

}  // namespace tessera
