#include "tools/run/unfinished.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/files/output_file.hpp"
#include "io/h5md/read.hpp"
#include "io/table/rdf_file.hpp"
#include "tools/run/paths.hpp"

namespace tessera
{

namespace
{

bool lacks(std::filesystem::path const& table, Rdf const& rdf)
{
    if (is_stream(table))
    {
        return false;
    }
    return !std::filesystem::exists(table) || (is_rdf_file(table, rdf) && !holds_rdf(table, rdf));
}

bool trajectory_lacks(std::filesystem::path const& trajectory, Rdf const& rdf)
{
    std::vector<double> const value = rdf.value();
    return !value.empty() && std::filesystem::exists(trajectory) &&
           TrajectoryReader(trajectory).rdf() != std::pair(rdf.radius(), value);
}

}  // namespace

bool lacks_rdf(Launch const& launch)
{
    RunPaths const paths = run_paths(launch);
    Rdf const& rdf = launch.checkpoint.rdf;
    if (paths.rdf.empty() || rdf.samples == 0)
    {
        return false;
    }
    try
    {
        return lacks(paths.rdf, rdf) ||
               (!paths.trajectory.empty() && trajectory_lacks(paths.trajectory, rdf));
    }
    catch (IoError const&)
    {
        return false;
    }
}

}  // namespace tessera
