/// write_frames FILE FRAMES PARTICLES [float32|float64]: files with the content of
/// tests/support/known_frames.hpp, for tests that read them with other programs or kill the writer.
/// After each frame it prints how many are safe.
///
/// The extension says what is written: a trajectory (.h5), a checkpoint after each frame
/// (.ckpt.h5), .xyz, .lammpstrj, or .data (of the last frame).

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/config/errors.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/trajectory.hpp"
#include "io/text/lammps_data.hpp"
#include "io/text/lammps_dump.hpp"
#include "io/text/xyz.hpp"
#include "tests/support/known_frames.hpp"

using namespace tessera;

namespace
{

void report(std::int64_t frames)
{
    std::printf("%lld\n", static_cast<long long>(frames));
    std::fflush(stdout);
}

void write_trajectory(char const* path, std::int64_t frames, std::int64_t particles,
                      TrajectoryType dtype)
{
    TrajectoryConfig config;
    config.every = 10;
    config.fields = {Field::position, Field::image, Field::velocity};
    config.dtype = dtype;
    TrajectoryWriter writer(path, config, known_run_info(), known_state(0, particles), true);
    for (std::int64_t frame = 0; frame < frames; ++frame)
    {
        State const state = known_state(frame, particles);
        Observables const observables = known_observables(frame);
        writer.append_thermo(observables);
        writer.write({state, observables});
        report(writer.committed_frames());
    }
    writer.close();
}

void write_checkpoints(char const* path, std::int64_t frames, std::int64_t particles)
{
    for (std::int64_t frame = 0; frame < frames; ++frame)
    {
        write_checkpoint(path, {known_state(frame, particles), {}}, known_run_info());
        report(frame + 1);
    }
}

void write_text(char const* path, std::int64_t frames, std::int64_t particles,
                std::string const& extension)
{
    TextOutput out(path, TextOutput::Mode::create);
    bool const single = extension == ".data";
    auto* const write =
        single ? write_lammps_data : (extension == ".xyz" ? write_xyz : write_lammps_dump);
    for (std::int64_t frame = single ? frames - 1 : 0; frame < frames; ++frame)
    {
        write(out, known_state(frame, particles));
    }
    out.close();
    report(frames);
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 4)
    {
        std::fprintf(stderr, "usage: write_frames FILE FRAMES PARTICLES [float32|float64]\n");
        return 2;
    }
    std::filesystem::path const path = argv[1];
    std::int64_t const frames = std::atoll(argv[2]);
    std::int64_t const particles = std::atoll(argv[3]);
    bool const wide = argc > 4 && std::strcmp(argv[4], "float64") == 0;
    try
    {
        if (path.stem().extension() == ".ckpt")
        {
            write_checkpoints(argv[1], frames, particles);
        }
        else if (path.extension() == ".h5")
        {
            write_trajectory(argv[1], frames, particles,
                             wide ? TrajectoryType::float64 : TrajectoryType::float32);
        }
        else
        {
            write_text(argv[1], frames, particles, path.extension());
        }
    }
    catch (IoError const& error)
    {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
