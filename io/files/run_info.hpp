#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera
{

/// The header and the rows of a thermo file up to some step: how many, and a hash chained over
/// them.
struct RowDigest
{
    std::int64_t rows = 0;
    std::uint64_t hash = 0;

    bool operator==(RowDigest const&) const = default;
};

/// How a run was made: what trajectories and checkpoints carry under /parameters. Holds no user or
/// host name unless the caller puts one into `author`.
struct RunInfo
{
    std::string resolved_yaml;  ///< the whole input with every default filled in
    /// Trajectories alone: what resumed runs changed of it, "step N: key: before -> now" a line.
    std::string changes;
    std::uint64_t seed = 0;
    std::string device;
    std::string version;
    std::string build;           ///< compiler, build type, options
    std::string random_numbers;  ///< the scheme that the seed enters
    /// Tells runs apart, see io/input/run_id.hpp; a resumed run has that of its start. Empty in
    /// older files.
    std::string run_id;
    std::string author = "N/A";  ///< H5MD asks for one

    /// Checkpoints alone: what the run has written into its thermo file, and where its output files
    /// are from the folder of the checkpoint. Empty where there is none, and in older checkpoints.
    std::optional<RowDigest> thermo_rows;
    std::string output_dir;
    /// Checkpoints alone: an output had failed, so that its file may lack what came before this
    /// step, also where no step is left.
    bool outputs_failed = false;
};

}  // namespace tessera
