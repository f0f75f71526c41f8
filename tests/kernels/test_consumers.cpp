#include <vector>

#include "kernels/force/consumers.hpp"
#include "tests/support/support.hpp"

using namespace tessera;

namespace
{

using Pair = UniformPotential<LennardJones, double, Truncation::sharp>;

Pair pair_of_cutoff(double cutoff)
{
    return {make_coefficients<double>({1.0, 1.0, cutoff}, Truncation::sharp, 0.0)};
}

std::vector<Vec3<double>> const displacements{
    {1.1, 0.2, -0.3}, {-0.7, 1.0, 0.4}, {0.0, -1.5, 1.2}, {2.4, 0.0, 1.0}};

}  // namespace

TEST_CASE("sums of rows merge to the sum over all neighbors")
{
    Pair const pair = pair_of_cutoff(2.5);
    Energy<Pair> const energy{pair};
    EnergySum all;
    EnergySum rows[2];
    for (std::size_t n = 0; n < displacements.size(); ++n)
    {
        energy.add(all, displacements[n], 0, 0);
        energy.add(rows[n % 2], displacements[n], 0, 0);
    }
    rows[0] += rows[1];
    CHECK(rows[0].energy == Approx(all.energy));
    CHECK(rows[0].xx == Approx(all.xx));
    CHECK(rows[0].xy == Approx(all.xy));
    CHECK(rows[0].xz == Approx(all.xz));
    CHECK(rows[0].yy == Approx(all.yy));
    CHECK(rows[0].yz == Approx(all.yz));
    CHECK(rows[0].zz == Approx(all.zz));
    CHECK(all.energy < 0.0);
}

TEST_CASE("the trace of the virial is sum r.F of the forces, and opposite neighbors cancel")
{
    Pair const pair = pair_of_cutoff(2.5);
    Force<Pair> const force{pair};
    Energy<Pair> const energy{pair};
    for (Vec3<double> const& d : displacements)
    {
        Vec3<double> one{};
        force.add(one, d, 0, 0);
        EnergySum sum;
        energy.add(sum, d, 0, 0);
        CHECK(sum.xx + sum.yy + sum.zz == Approx(dot(d, one)).margin(1e-14));
        force.add(one, {-d.x, -d.y, -d.z}, 0, 0);
        CHECK(dot(one, one) == 0.0);
    }
}

TEST_CASE("neighbors are counted up to the cutoff of their pair, with or without an interaction")
{
    std::vector<PairCoefficients<double>> table(
        4, make_coefficients<double>({1.0, 1.0, 1.5}, Truncation::sharp, 0.0));
    table[3] = make_coefficients<double>({0.0, 1.0, 2.0}, Truncation::sharp, 0.0);
    table[3].inside_sq = 0.0;
    NeighborCount<double> const count{table.data(), 2};
    int neighbors = 0;
    count.add(neighbors, {1.4, 0.0, 0.0}, 0, 0);
    CHECK(neighbors == 1);
    count.add(neighbors, {1.6, 0.0, 0.0}, 0, 1);
    CHECK(neighbors == 1);
    count.add(neighbors, {1.6, 0.0, 0.0}, 1, 1);
    CHECK(neighbors == 2);
    count.add(neighbors, {0.0, 2.0, 0.0}, 1, 1);
    CHECK(neighbors == 2);
}

TEST_CASE("a distance falls into its bin, and beyond the range into none")
{
    DistanceBin<float> const bins(10, 2.5, 2.5);
    CHECK(bins.bin({0.0F, 0.0F, 0.0F}, 0, 0) == 0);
    CHECK(bins.bin({0.0F, 0.3F, 0.0F}, 0, 0) == 1);
    CHECK(bins.bin({2.4999F, 0.0F, 0.0F}, 0, 0) == 9);
    CHECK(bins.bin({0.0F, 0.0F, 2.5F}, 0, 0) == -1);
    CHECK(bins.bin({1e15F, 0.0F, 0.0F}, 0, 0) == -1);
}
