#pragma once
/// Which files a run reads and writes, looked at before one is touched.

#include <filesystem>
#include <string>
#include <vector>

#include "tools/run/launch.hpp"

namespace tessera
{

/// What a run writes, once --output-dir is taken into account; empty: not asked for.
struct RunPaths
{
    std::filesystem::path trajectory, thermo, checkpoint, rdf, summary;

    /// Those that are asked for.
    std::vector<std::filesystem::path> all() const;
};
RunPaths run_paths(Launch const& launch);

/// Throws ConfigError if a file that the input names has a name that none can have.
void check_file_names(Config const& config);

/// Throws ConfigError if the trajectory of a new run has the name of another format.
void check_trajectory_name(Config const& config);

/// Throws ConfigError if two of the run's files are one, derived names included (the checkpoint
/// before the last, locks, files in the making); if a name is none; if something that is there
/// would be lost without `overwrite`; or if a file could not be made. Changes nothing.
void check_run_paths(Launch const& launch);

/// Throws IoError if a checkpoint that is there, or the one before it, is another run's.
void check_own_checkpoints(Launch const& launch, std::filesystem::path const& checkpoint);

/// A folder that is made, and removed again unless keep() was called: a refused run leaves none.
class MadeFolder
{
public:
    /// An empty path makes nothing. Throws ConfigError.
    explicit MadeFolder(std::filesystem::path const& folder);
    MadeFolder(MadeFolder const&) = delete;
    MadeFolder& operator=(MadeFolder const&) = delete;
    ~MadeFolder();
    void keep();

private:
    std::vector<std::filesystem::path> made_;  ///< outermost first
};

}  // namespace tessera
