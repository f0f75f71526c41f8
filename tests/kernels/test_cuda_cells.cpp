/// Cells on the device of systems that are sparse, elongated or flying apart. Exits 77 (skipped)
/// where there is no GPU.

#include <algorithm>
#include <numeric>
#include <vector>

#include "engine/cuda/particles.hpp"
#include "engine/devices.hpp"
#include "kernels/neighbor/sort.hpp"
#include "tests/support/device_runs.hpp"
#include "tests/support/force_check.hpp"
#include "tests/support/need_gpu.hpp"
#include "tests/support/scattered.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

constexpr double radius = 2.8;

/// Places in the device's order, and the grid that it chose.
std::pair<std::vector<std::int32_t>, CellGrid> sorted_on_device(State const& state)
{
    Stream const stream;
    CudaParticles particles(stream.get());
    particles.load(state);
    CellGrid const grid =
        particles.sort(particles.find_bounds(ListPositions::kept), radius, ListPositions::kept);
    std::vector<std::int32_t> place(state.position.size());
    cuda_check(
        cudaMemcpyAsync(place.data(), particles.arrays().place, place.size() * sizeof(place[0]),
                        cudaMemcpyDeviceToHost, stream.get()),
        "copy places");
    stream.synchronize();
    return {place, grid};
}

std::vector<std::int32_t> order_on_host(State const& state, CellGrid const& grid)
{
    cpu::CellSort sort;
    sort.sort(state.position.data(), state.id.data(), state.particle_count(), grid);
    return sort.order();
}

/// A drop of 8 788 particles, above the size at which every pair is tried, in a periodic box that
/// is mostly empty.
Places drop_in_large_box(Box const& box)
{
    Vec3<double> edges{};
    auto positions = fcc_positions({13, 13, 13}, 0.8442, 0.12, 5, edges);
    for (Vec3<double>& position : positions)
    {
        // Over a corner of the box.
        position += Vec3<double>{-5.0, -4.0, -3.0};
    }
    return {"drop in a large box", box, positions};
}

std::vector<Places> crowded_systems()
{
    std::vector<Places> systems{drop_in_large_box(cube(500.0)),
                                drop_in_large_box({{1e5, 40.0, 60.0}, {}})};
    for (double const far : {1e3, 1e6, 1e9})
    {
        systems.push_back(droplet({{far, -far, far}}));
        systems.push_back(droplet({{-far, far, 0.3 * far}, {1.0 - far, far, 0.3 * far}}));
    }
    return systems;
}

}  // namespace

TEST_CASE("the device orders particles as the host does, in the grid that it chose")
{
    Config const config = lennard_jones_config();
    auto systems = scattered_systems();
    auto const crowded = crowded_systems();
    systems.insert(systems.end(), crowded.begin(), crowded.end());
    for (Places const& places : systems)
    {
        INFO(places.name << ", " << places.count() << " particles");
        State const state = state_at(config, places.box, places.position);
        auto const [order, grid] = sorted_on_device(state);
        CHECK(order == order_on_host(state, grid));
    }
}

TEST_CASE("a grid lists occupied cells alone where particles crowd beside empty space")
{
    Config const config = lennard_jones_config();
    for (Places const& places : crowded_systems())
    {
        INFO(places.name << ", " << places.count() << " particles");
        CellGrid const grid =
            sorted_on_device(state_at(config, places.box, places.position)).second;
        CHECK(grid.layout == CellLayout::sparse);
        CHECK(grid.width(0) < radius);
        CHECK(grid.width(1) < 2.0 * radius);
    }
    // Thin, but evenly so; too thin for cells that wide.
    Places const gas = exploding_gas(1500, 250.0);
    CHECK(sorted_on_device(state_at(config, gas.box, gas.position)).second.layout ==
          CellLayout::dense);
    Places const thinner = exploding_gas(1500, 1e6);
    CHECK(sorted_on_device(state_at(config, thinner.box, thinner.position)).second.layout ==
          CellLayout::sparse);
}

TEST_CASE("forces equal brute force, however far particles are")
{
    Config const config = lennard_jones_config();
    auto systems = crowded_systems();
    systems.push_back(elongated_box());
    systems.push_back(exploding_gas(1500, 1e6));
    systems.push_back(exploding_gas(1500, 1e9));
    for (Places const& places : systems)
    {
        System const system{places.name, config, state_at(config, places.box, places.position)};
        Reference const reference = brute_force(config, system.state, bins);
        for (Variant const& variant : variants())
        {
            // Coordinates in double: how others are rounded so far away is not for cells to say.
            if (variant.precision == Precision::double_)
            {
                check_against_reference(on_device, variant, system, reference);
            }
        }
    }
}

TEST_CASE(
    "twenty thousand particles, each pair in its own far place, find each other on the device")
{
    Config config = lennard_jones_config();
    config.force = {ForcePath::gather, Precision::double_};
    Places const gas = exploding_gas(10000, 1e6);
    State const start = state_at(config, gas.box, gas.position);
    auto const by_gpu = on_device(config);
    by_gpu->load(start);
    config.device.type = DeviceType::cpu;
    auto const by_cpu = make_backend(config, [](std::string const&) {});
    by_cpu->load(start);
    CHECK(by_gpu->sample().potential_energy ==
          Approx(by_cpu->sample().potential_energy).epsilon(1e-10));
    std::vector<std::uint64_t> gpu_pairs(bins, 0), cpu_pairs(bins, 0);
    by_gpu->count_pairs(gpu_pairs);
    by_cpu->count_pairs(cpu_pairs);
    CHECK(gpu_pairs == cpu_pairs);
}
