#include <cmath>
#include <random>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "kernels/arithmetic/pair_potential.hpp"
#include "kernels/shoc/chunk_force.cuh"
#include "tests/support/need_gpu.hpp"
#include "tests/support/support.hpp"

using namespace tessera;

namespace
{

__global__ void pack_and_unpack(Vec3<float> const* displacement, int count, PackingScale scale,
                                PackedNeighbor* packed, Vec3<float>* unpacked)
{
    int const at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < count)
    {
        packed[at] = cuda::device_pack(displacement[at], at % (scale.bits == 21 ? 2 : 16), scale);
        unpacked[at] = cuda::device_unpack(packed[at], scale);
    }
}

struct SpeciesOne
{
    __device__ int operator()(std::int64_t) const
    {
        return 1;
    }
};

}  // namespace

TEST_CASE("the device packs and unpacks the host's bits")
{
    int const species_count = GENERATE(1, 5);
    double const cutoff = GENERATE(2.5, 4.0, 0.37);
    PackingScale const scale = packing_scale(cutoff, species_count);
    std::mt19937_64 random(11);
    std::uniform_real_distribution<float> uniform(static_cast<float>(-cutoff),
                                                  static_cast<float>(cutoff));
    std::vector<Vec3<float>> displacement(100000);
    for (auto& d : displacement)
    {
        d = {uniform(random), uniform(random), uniform(random)};
    }
    auto const edge = static_cast<float>(cutoff);
    displacement[0] = {edge, -edge, 0.0F};
    // Half-way between steps: both round to even.
    displacement[1] = {0.5F * scale.to_sigma, 1.5F * scale.to_sigma, -2.5F * scale.to_sigma};
    auto const count = static_cast<int>(displacement.size());

    Stream const stream;
    DeviceBuffer<Vec3<float>> const d_in(std::span<Vec3<float> const>(displacement), stream.get());
    DeviceBuffer<PackedNeighbor> const d_packed(displacement.size(), stream.get());
    DeviceBuffer<Vec3<float>> const d_out(displacement.size(), stream.get());
    pack_and_unpack<<<(count + 255) / 256, 256, 0, stream.get()>>>(d_in.data(), count, scale,
                                                                   d_packed.data(), d_out.data());
    cuda_check(cudaGetLastError(), "launch of pack_and_unpack");
    std::vector<PackedNeighbor> packed(displacement.size());
    std::vector<Vec3<float>> unpacked(displacement.size());
    d_packed.download(packed, stream.get());
    d_out.download(unpacked, stream.get());
    stream.synchronize();
    for (int at = 0; at < count; ++at)
    {
        int const species = at % (scale.bits == 21 ? 2 : 16);
        REQUIRE(packed[at] == pack(displacement[at], species, scale));
        REQUIRE(unpacked[at] == unpack_displacement(packed[at], scale));
    }
}

TEST_CASE("Lennard-Jones functors run over chunks, species by species")
{
    // One atom of species 1 with a neighbor of each species in a float chunk of one lane.
    std::vector<PairCoefficients<float>> table(4);
    for (int i = 0; i < 4; ++i)
    {
        table[i] = make_coefficients<float>({1.0 + i, 1.0, 2.5}, Truncation::force_shifted, 0.0);
    }
    table[2] = table[1];
    Stream const stream;
    DeviceBuffer<PairCoefficients<float>> const d_table(
        std::span<PairCoefficients<float> const>(table), stream.get());
    constexpr float far = padding_coordinate<float>;
    std::vector<FloatSlot> slot(4 * slice_rows, {far, far, far, 0.0F});
    slot[0] = {1.1F, 0.0F, 0.0F, 0.0F};
    slot[slice_rows] = {0.0F, -1.2F, 0.0F, 1.0F};
    DeviceBuffer<FloatSlot> const d_slot(std::span<FloatSlot const>(slot), stream.get());
    std::vector<std::int32_t> const slots{4};
    DeviceBuffer<std::int32_t> const d_slots(std::span<std::int32_t const>(slots), stream.get());
    ChunkView<FloatSlot> const chunk{
        reinterpret_cast<std::byte*>(d_slot.data()), d_slots.data(), 0, 1, 4, 1, {}};
    DeviceBuffer<Vec3<double>> const d_force(1, stream.get());
    using Mixture = MixedPotential<LennardJones, float, Truncation::force_shifted>;
    Mixture const mixture{d_table.data(), 2};
    cuda::launch_consume_chunk(
        chunk,
        cuda::ForceInGroups<double, Mixture, cuda::StoreTriples<double>, SpeciesOne>{
            mixture, {d_force.data()}, {}},
        stream.get());
    std::vector<Vec3<double>> force(1);
    d_force.download(force, stream.get());
    stream.synchronize();
    auto const expected = [&](double epsilon, double r) {
        auto const c =
            make_coefficients<double>({epsilon, 1.0, 2.5}, Truncation::force_shifted, 0.0);
        return pair_term<LennardJones, Truncation::force_shifted>(r * r, c).force_over_r * r;
    };
    // Species 1-0 has epsilon 2, 1-1 has 4; single precision of terms near 100.
    CHECK(force[0].x == Approx(expected(2.0, 1.1)).epsilon(1e-5));
    CHECK(force[0].y == Approx(-expected(4.0, 1.2)).epsilon(1e-5));
    CHECK(force[0].z == 0.0);
}
