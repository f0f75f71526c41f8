/// write_frames FILE FRAMES PARTICLES [float32|float64]: a trajectory with known content, for tests
/// that read it with other programs or kill the writer. After each frame it prints how many are
/// committed. The content is that of tests/known_frames.hpp.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "engine/errors.hpp"
#include "io/h5md.hpp"
#include "tests/known_frames.hpp"

using namespace tessera;

int main(int argc, char** argv)
{
    if (argc < 4)
    {
        std::fprintf(stderr, "usage: write_frames FILE FRAMES PARTICLES [float32|float64]\n");
        return 2;
    }
    TrajectoryConfig config;
    config.every = 10;
    config.fields = {Field::position, Field::image, Field::velocity};
    bool const wide = argc > 4 && std::strcmp(argv[4], "float64") == 0;
    config.dtype = wide ? TrajectoryType::float64 : TrajectoryType::float32;
    try
    {
        std::int64_t const particles = std::atoll(argv[3]);
        TrajectoryWriter writer(argv[1], config, known_run_info(), known_state(0, particles), true);
        for (std::int64_t frame = 0; frame < std::atoll(argv[2]); ++frame)
        {
            State const state = known_state(frame, particles);
            Observables const observables = known_observables(frame);
            writer.append_thermo(observables);
            writer.write({state, observables});
            std::printf("%lld\n", static_cast<long long>(writer.committed_frames()));
            std::fflush(stdout);
        }
        writer.close();
    }
    catch (IoError const& error)
    {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
