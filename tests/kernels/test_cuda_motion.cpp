/// Kick and drift on the device. Exits 77 (skipped) where there is no GPU.

#include "engine/cuda/particles.hpp"
#include "engine/cuda/raii.hpp"
#include "kernels/motion/integrate_cuda.hpp"
#include "tests/support/need_gpu.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("a captured drift reads the step and the box that were set last")
{
    Stream const stream;
    CudaParticles particles(stream.get());
    State state = state_at(lennard_jones_config(), {{10.0, 10.0, 10.0}, {}}, {{8.0, 5.0, 5.0}});
    state.velocity[0] = {4.0, 0.0, 0.0};
    particles.load(state);
    DeviceBuffer<DoublePosition> const encoded(1, stream.get());
    DeviceBuffer<cuda::StepParameters> const parameters(1, stream.get());
    Graph const drift(stream.get(), [&](cudaStream_t captured) {
        cuda::ParticleArrays const now = particles.arrays();
        cuda::kick_and_drift<DoublePosition>(
            particles.view(), {encoded.data(), nullptr, now.list_position, now.id},
            {parameters.data(), cuda::Kicks::first_half, 1}, {}, captured);
    });
    auto const place_after = [&](Box const& box, double dt) {
        PairSpace const space = make_pair_space(box, box.edges);
        cuda::set_parameters({box, motion_limits(box, 2.8), space, space, dt, 0, 0},
                             parameters.data(), stream.get());
        drift.launch(stream.get());
        particles.save(state);
        return state.position[0].x;
    };
    CHECK(place_after({{10.0, 10.0, 10.0}, {}}, 0.25) == 9.0);
    CHECK(place_after({{10.0, 10.0, 10.0}, {}}, 0.5) == 1.0);
    CHECK(place_after({{16.0, 10.0, 10.0}, {}}, 1.5) == 7.0);
    CHECK(place_after({{12.0, 10.0, 10.0}, {}}, 1.5) == 1.0);
    CHECK(state.image[0].x == 2);
}
