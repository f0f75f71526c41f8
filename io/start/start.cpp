#include "io/start/start.hpp"

#include <fmt/format.h>

#include <string>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/read.hpp"
#include "io/start/from_h5md.hpp"
#include "io/text/lammps_data.hpp"
#include "io/text/xyz.hpp"

namespace tessera
{

namespace
{

StartFile read_trajectory(FileConfig const& file)
{
    TrajectoryReader const reader(file.path);
    if (reader.frame_count() == 0)
    {
        throw IoError(
            fmt::format("{}: the trajectory holds no complete frame.", file.path.string()));
    }
    return read_h5md_frame(reader, file.path, file.frame.value_or(reader.frame_count() - 1));
}

void require_first_frame(FileConfig const& file)
{
    if (file.frame.value_or(0) != 0)
    {
        throw ConfigError(fmt::format("{} holds one frame, there is no frame {}.",
                                      file.path.string(), *file.frame));
    }
}

}  // namespace

StartFile read_start_file(FileConfig const& file)
{
    std::string const extension = file.path.extension().string();
    if (extension == ".h5" || extension == ".h5md")
    {
        if (!is_checkpoint(file.path))
        {
            return read_trajectory(file);
        }
        require_first_frame(file);
        return read_checkpoint_start(file.path);
    }
    if (extension == ".xyz" || extension == ".extxyz")
    {
        return read_xyz(file.path, file.frame);
    }
    if (extension == ".data" || extension == ".lmp")
    {
        require_first_frame(file);
        return read_lammps_data(file.path);
    }
    throw ConfigError(
        fmt::format("{} has an unknown extension; .h5, .h5md, .xyz, "
                    ".extxyz, .data and .lmp are read.",
                    file.path.string()));
}

}  // namespace tessera
