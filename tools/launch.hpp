#pragma once
/// What `run` and `resume` have in common: a simulation with its files, signals and summary.

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/config.hpp"
#include "engine/simulation.hpp"

namespace tessera
{

struct Launch
{
    Config config;
    Checkpoint checkpoint;  ///< the start
    Beginning beginning = Beginning::fresh;
    std::string run_id;  ///< of a resumed run, empty in older checkpoints
    std::int64_t last_step = 0;
    std::filesystem::path output_dir;  ///< empty: the working directory
    std::filesystem::path summary;     ///< empty: none
    bool quiet = false;                ///< neither table nor progress line
};

/// Runs to the end, or until a signal or the wall-time limit; SIGINT and SIGTERM finish the step,
/// write a checkpoint and close the files. Returns the exit code, 0 or 3.
int launch(Launch launch);

}  // namespace tessera
