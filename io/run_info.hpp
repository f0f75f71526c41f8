#pragma once

#include <cstdint>
#include <string>

namespace tessera
{

/// How a run was made: what trajectories and checkpoints carry under /parameters. Holds no user or
/// host name unless the caller puts one into `author`.
struct RunInfo
{
    std::string resolved_yaml;  ///< the whole input with every default filled in
    std::uint64_t seed = 0;
    std::string device;
    std::string version;
    std::string build;           ///< compiler, build type, options
    std::string random_numbers;  ///< the scheme that the seed enters
    /// Tells runs apart, see io/run_id.hpp; a resumed run has that of its start. Empty in older
    /// files.
    std::string run_id;
    std::string author = "N/A";  ///< H5MD asks for one
};

}  // namespace tessera
