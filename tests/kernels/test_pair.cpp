/// The arithmetic of one pair: the Lennard-Jones term, displacements, packing, cells and offsets.

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "engine/backend/potential_tables.hpp"
#include "kernels/arithmetic/chunk.hpp"
#include "kernels/arithmetic/packing.hpp"
#include "kernels/arithmetic/pair_potential.hpp"
#include "kernels/arithmetic/positions.hpp"
#include "kernels/neighbor/cells.hpp"
#include "kernels/neighbor/neighbor.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

constexpr double cutoff = 2.5;
constexpr double switch_on = 2.0;

/// Energy and force F = -dU/dr of one pair, sigma = epsilon = 1, by the engine's pair term.
template <class T>
std::pair<double, double> evaluate(Truncation truncation, T r_sq, double range = cutoff)
{
    auto const c = make_coefficients<T>({1.0, 1.0, range}, truncation, 0.8 * range);
    AnyPotential<LennardJones, T> const potential{&c, 1, truncation};
    PairTerm<T> const term = potential(r_sq, 0, 0);
    return {double{term.energy}, double{term.force_over_r} * std::sqrt(double{r_sq})};
}

std::vector<Truncation> const truncations{Truncation::sharp, Truncation::shifted,
                                          Truncation::force_shifted, Truncation::switched};

}  // namespace

TEST_CASE("the pair term gives the numbers computed by hand")
{
    struct Point
    {
        Truncation truncation;
        double r, energy, force;
    };
    // U = 4 (r^-12 - r^-6), exact fractions; the others independently to 12 decimals.
    std::vector<Point> const points{
        {Truncation::sharp, 2.0, -63.0 / 1024.0, -93.0 / 512.0},
        {Truncation::sharp, 1.0, 0.0, 24.0},
        {Truncation::sharp, 0.5, 16128.0, 48.0 * 8192.0 - 24.0 * 128.0},
        {Truncation::sharp, 1.5, -0.320336594279, -1.158028831046},
        {Truncation::shifted, 1.5, -0.304019703143, -1.158028831046},
        {Truncation::force_shifted, 1.5, -0.265020225690, -1.119029353593},
        {Truncation::switched, 1.5, -0.320336594279, -1.158028831046},
        {Truncation::switched, 2.25, -0.016569232738, -0.135333493436},
        {Truncation::switched, 2.4, -0.002532412365, -0.051698964947}};
    for (Point const& point : points)
    {
        INFO("truncation " << static_cast<int>(point.truncation) << ", r " << point.r);
        auto const [energy, force] = evaluate(point.truncation, point.r * point.r);
        // Half a unit of the 12th decimal, and rounding relative to the value.
        CHECK(energy == Approx(point.energy).epsilon(1e-12).margin(0.6e-12));
        CHECK(force == Approx(point.force).epsilon(1e-12).margin(0.6e-12));
    }
    // At the cutoff from inside: what the shifts take away.
    auto const [energy, force] = evaluate(Truncation::sharp, 6.25, 3.0);
    CHECK(energy == Approx(-0.016316891136).epsilon(0.0).margin(0.6e-12));
    CHECK(force == Approx(-0.0389994774528).epsilon(0.0).margin(0.6e-13));
    for (Truncation const truncation : {Truncation::shifted, Truncation::force_shifted})
    {
        auto const last = evaluate(truncation, std::nextafter(6.25, 0.0));
        CHECK(std::abs(last.first) < 1e-15);
    }
    CHECK(std::abs(evaluate(Truncation::force_shifted, std::nextafter(6.25, 0.0)).second) < 1e-15);
}

TEST_CASE("the minimum is -1 at 2^(1/6)")
{
    double const r_sq = std::cbrt(2.0);
    auto const [energy, force] = evaluate(Truncation::sharp, r_sq);
    CHECK(energy == Approx(-1.0).epsilon(1e-15));
    // Two terms of 24 / r cancel.
    CHECK(std::abs(force) < 24.0 * 8.0 * std::numeric_limits<double>::epsilon());
    CHECK(evaluate(Truncation::sharp, r_sq * 1.001).first > energy);
    CHECK(evaluate(Truncation::sharp, r_sq * 0.999).first > energy);
}

TEST_CASE("the pair term in float is right to its rounding")
{
    double const u = std::ldexp(1.0, -24);
    for (Truncation const truncation : truncations)
    {
        for (float r = 0.8F; r < 2.4995F; r += 0.01F)
        {
            float const r_sq = r * r;
            double const exact_r = std::sqrt(double{r_sq});
            auto const [energy, force] = evaluate(truncation, r_sq);
            auto const [expected_energy, expected_force] =
                pair_energy_and_force(exact_r, {1.0, 1.0, cutoff}, truncation, switch_on);
            double const r6 = std::pow(exact_r, -6.0);
            // Terms that cancel, each with at most 12 roundings (inverse, two products, their
            // squares, coefficients, sums); shifts are below 0.12. The switch is at most 1, its
            // slope at most 1.2, and ten more roundings of its factors reach 6.25 / 2.25 times
            // their size.
            double const roundings = truncation == Truncation::switched ? 45.0 : 14.0;
            double const energy_terms = 4.0 * (r6 * r6 + r6) + 0.12;
            double const force_terms =
                (48.0 * r6 * r6 + 24.0 * r6) / exact_r + 0.12 + 1.2 * energy_terms;
            INFO("truncation " << static_cast<int>(truncation) << ", r " << exact_r);
            CHECK(std::abs(energy - expected_energy) <= roundings * u * energy_terms);
            CHECK(std::abs(force - expected_force) <= roundings * u * force_terms);
        }
    }
}

TEMPLATE_TEST_CASE(
    "the pair term is exactly zero from the cutoff on and for padding, and no number at 0", "",
    float, double)
{
    using T = TestType;
    for (Truncation const truncation : truncations)
    {
        T const padding = padding_coordinate<T>;
        Vec3<T> const filler{padding, padding, padding};
        for (T const r_sq :
             {T(6.25), std::nextafter(T(6.25), T(7)), T(7), T(100), dot(filler, filler)})
        {
            auto const [energy, force] = evaluate(truncation, r_sq);
            INFO("r^2 " << r_sq);
            CHECK(energy == 0.0);
            CHECK(force == 0.0);
        }
        CHECK(evaluate(truncation, std::nextafter(T(6.25), T(0))).second != 0.0);
        // Two particles at one place must not pass for padding.
        CHECK(!std::isfinite(evaluate(truncation, T(0)).first));
        CHECK(!std::isfinite(evaluate(truncation, T(0)).second));
    }
}

TEMPLATE_TEST_CASE("mie 12-6 is Lennard-Jones, and other exponents give their formula", "", float,
                   double)
{
    using T = TestType;
    double const unit = std::numeric_limits<T>::epsilon();
    for (Truncation const truncation : truncations)
    {
        auto const term = [&](PairParameters const& pair, T r_sq) {
            auto const c = make_coefficients<T>(pair, truncation, switch_on);
            return pair.type == PotentialType::mie
                       ? AnyPotential<Mie, T>{&c, 1, truncation}(r_sq, 0, 0)
                       : AnyPotential<LennardJones, T>{&c, 1, truncation}(r_sq, 0, 0);
        };
        for (T r = T(0.8); r < T(2.4995); r += T(0.05))
        {
            T const r_sq = r * r;
            double const exact_r = std::sqrt(double{r_sq});
            auto const lj = term({1.3, 0.9, cutoff}, r_sq);
            auto const mie = term({1.3, 0.9, cutoff, PotentialType::mie, 12.0, 6.0}, r_sq);
            CHECK(mie.energy == Approx(lj.energy).epsilon(16 * unit).margin(16 * unit));
            CHECK(mie.force_over_r == Approx(lj.force_over_r).epsilon(16 * unit).margin(64 * unit));
            for (auto const& [n, m] : {std::pair{14.0, 6.0}, std::pair{9.0, 6.0},
                                       std::pair{50.0, 49.0}, std::pair{11.3, 4.7}})
            {
                PairParameters const pair{1.3, 0.9, cutoff, PotentialType::mie, n, m};
                auto const [energy, force] =
                    pair_energy_and_force(exact_r, pair, truncation, switch_on);
                auto const got = term(pair, r_sq);
                // A logarithm of up to 0.4 is multiplied by n; terms cancel, and the prefactor of
                // 50-49 is 135.
                double const scale = 50.0 * 135.0 * std::pow(0.9 / std::min(exact_r, 0.9), n);
                INFO("n " << n << ", m " << m << ", r " << exact_r);
                CHECK(std::abs(got.energy - energy) <= 40.0 * unit * scale);
                CHECK(std::abs(got.force_over_r * exact_r - force) <= 2000.0 * unit * scale);
            }
        }
        auto const at_zero = term({1.0, 1.0, cutoff, PotentialType::mie, 14.0, 6.0}, T(0));
        CHECK(!std::isfinite(at_zero.force_over_r));
        CHECK(!std::isfinite(at_zero.energy));
        CHECK(term({1.0, 1.0, cutoff, PotentialType::mie, 14.0, 6.0}, T(6.25)).energy == T(0));
    }
}

TEST_CASE("the tail of every form is the integral of its energy and force, its core a wall")
{
    for (PairParameters const& pair : {PairParameters{1.3, 0.9, 2.3},
                                       PairParameters{1.3, 0.9, 2.3, PotentialType::mie, 14.0, 6.0},
                                       PairParameters{1.3, 0.9, 2.3, PotentialType::mie, 9.5, 4.5}})
    {
        with_form(pair.type, [&]<template <class> class Form>(FormTag<Form>) {
            // In x = 1/r, by the midpoints of 200 000 intervals.
            constexpr int intervals = 200000;
            double const h = 1.0 / pair.cutoff / intervals;
            double energy = 0.0;
            double virial = 0.0;
            for (int k = 0; k < intervals; ++k)
            {
                double const x = (k + 0.5) * h;
                PairPoint const point = Form<double>::at(pair, 1.0 / x);
                energy += h * point.energy / (x * x * x * x);
                virial += h * point.force / (x * x * x * x * x);
            }
            PairTail const tail = Form<double>::tail(pair, 0.7, 11.0);
            double const pi = 3.14159265358979323846;
            CHECK(tail.energy == Approx(2.0 * pi * 0.7 * energy).epsilon(1e-4));
            CHECK(tail.pressure == Approx(2.0 / 3.0 * pi * 0.7 / 11.0 * virial).epsilon(1e-4));
            double const core = Form<double>::core(pair);
            CHECK(Form<double>::at(pair, core).force > 1e10);
            CHECK(core < 0.5 * pair.sigma);
        });
    }
}

TEST_CASE("padding contributes exactly zero to the widened coefficients of chunks")
{
    for (Truncation const truncation : truncations)
    {
        for (double const range : {0.3, 1.122462048309373, 2.5, 3.0, 40.0})
        {
            for (int const species : {1, 3})
            {
                PackingScale const scale = packing_scale(range, species);
                auto const d = unpack_displacement(packed_padding(scale), scale);
                PotentialTables<float> const tables(lennard_jones_config(range, truncation));
                auto const view = tables.chunk_potential();
                AnyPotential<LennardJones, float> const potential{view.table, 1, truncation};
                auto const term = potential(dot(d, d), 0, 0);
                CHECK(term.energy == 0.0F);
                CHECK(term.force_over_r == 0.0F);
                // The filler reads as a valid species, so that its coefficients exist.
                CHECK(unpack_species(packed_padding(scale), scale) == 0);
                // A pair at the cutoff itself, moved by packing, still counts.
                auto const edge = static_cast<float>(range);
                auto const moved = unpack_displacement(pack({edge, 0, 0}, 0, scale), scale);
                CHECK(dot(moved, moved) < view.first.inside_sq);
            }
        }
    }
}

TEST_CASE("packing keeps species, and displacements to half a step, with odd symmetry")
{
    for (int const species_count : {1, 2, 3, 16})
    {
        double const range = GENERATE(1.122462048309373, 2.5, 4.0);
        PackingScale const scale = packing_scale(range, species_count);
        CHECK(scale.bits == (species_count <= 2 ? 21 : 20));
        double const half_steps = std::ldexp(1.0, scale.bits - 1);
        double const step = range * (1.0 + 4.0 / half_steps) / half_steps;
        // Half a step by rint; four float roundings (scale, product, inverse scale, product) of up
        // to 2^20 steps are another quarter, at most.
        double const tolerance = step * (0.5 + 4.0 * half_steps * std::ldexp(1.0, -24));
        std::mt19937 generator(7);
        std::uniform_real_distribution<double> within(-range, range);
        for (int trial = 0; trial < 2000; ++trial)
        {
            Vec3<double> const exact =
                trial < 8 ? Vec3<double>{trial & 1 ? range : -range, trial & 2 ? range : -range,
                                         trial & 4 ? range : 0.0}
                          : Vec3<double>{within(generator), within(generator), within(generator)};
            Vec3<float> const d{static_cast<float>(exact.x), static_cast<float>(exact.y),
                                static_cast<float>(exact.z)};
            int const species = trial % species_count;
            PackedNeighbor const packed = pack(d, species, scale);
            auto const back = unpack_displacement(packed, scale);
            auto const mirrored = unpack_displacement(pack(-1.0F * d, species, scale), scale);
            REQUIRE(unpack_species(packed, scale) == species);
            REQUIRE_FALSE(packed == packed_padding(scale));
            for (int axis = 0; axis < 3; ++axis)
            {
                REQUIRE(std::abs(double{back[axis]} - double{d[axis]}) <= tolerance);
                REQUIRE(mirrored[axis] == -back[axis]);
            }
        }
    }
}

TEST_CASE("fixed-point displacements are the nearest copy to a step, on faces and beyond")
{
    double const edge = GENERATE(5.1, 8.0, 168.0, 12345.6);
    Box const box = cube(edge);
    PairSpace const space = make_pair_space(box, box.edges);
    auto const scale = FixedPosition::scale(space);
    std::vector<double> places{
        0.0,        std::nextafter(0.0, 1.0),         1e-9 * edge, 0.25 * edge,       0.4999 * edge,
        0.5 * edge, std::nextafter(0.5 * edge, edge), 0.75 * edge, edge * (1 - 1e-11)};
    places.push_back(std::nextafter(edge, 0.0));
    std::mt19937 generator(3);
    std::uniform_real_distribution<double> within(0.0, edge);
    for (int n = 0; n < 40; ++n)
    {
        places.push_back(within(generator));
    }
    FixedPosition face{};
    encode({std::nextafter(edge, 0.0), 0.0, 0.0}, 0, space, face);
    CHECK(face.x == 0);  // the last double below the face is nearest to step 2^32, which is 0
    for (double const a : places)
    {
        for (double const b : places)
        {
            FixedPosition pa{};
            FixedPosition pb{};
            encode({a, b, 0.0}, 0, space, pa);
            encode({b, a, 0.0}, 0, space, pb);
            auto const d = displacement(pa, pb, scale);
            double const exact = minimum_image(Vec3<double>{a - b, 0, 0}, box).x;
            // Two positions round by half a step each; step, conversion and product to float.
            double const tolerance =
                edge / fixed_steps * 1.001 + 3.0 * std::ldexp(1.0, -24) * std::abs(exact);
            INFO("a " << a << ", b " << b << ", edge " << edge);
            // Half a box away both copies are nearest.
            bool const tie = std::abs(std::abs(exact) - 0.5 * edge) <= tolerance;
            CHECK((tie ? std::abs(std::abs(d.x) - std::abs(exact)) : std::abs(d.x - exact)) <=
                  tolerance);
            CHECK((tie || d.x == -d.y));
            CHECK(d.z == 0.0F);
        }
    }
}

TEST_CASE("cell_runs visits every cell within reach exactly once")
{
    for (Boundary const boundary : {Boundary::periodic, Boundary::open})
    {
        for (int cells = 1; cells <= 9; ++cells)
        {
            for (int reach = 0; reach <= cells; ++reach)
            {
                for (int cell = 0; cell < cells; ++cell)
                {
                    std::vector<int> visits(static_cast<std::size_t>(cells), 0);
                    CellRuns const runs = cell_runs(cell, reach, cells, boundary);
                    for (int run = 0; run < 2; ++run)
                    {
                        for (int c = runs.first[run]; c <= runs.last[run]; ++c)
                        {
                            REQUIRE(c >= 0);
                            REQUIRE(c < cells);
                            ++visits[static_cast<std::size_t>(c)];
                        }
                    }
                    for (int c = 0; c < cells; ++c)
                    {
                        int const apart = std::abs(c - cell);
                        bool const near = apart <= reach || (boundary == Boundary::periodic &&
                                                             cells - apart <= reach);
                        INFO(cell << " of " << cells << ", reach " << reach << ", cell " << c);
                        REQUIRE(visits[static_cast<std::size_t>(c)] == (near ? 1 : 0));
                    }
                }
            }
        }
    }
}

TEST_CASE("offsets of chunks, lists and cells are 64-bit at 33 and 200 million particles")
{
    for (std::int64_t const particles : {std::int64_t{33000000}, std::int64_t{200000000}})
    {
        for (int const lanes : {1, 2, 4})
        {
            std::int64_t const slices = slice_count(particles, lanes);
            CHECK(slices == particles * lanes / 32);  // both counts are whole slices
            CHECK(slice_count(particles + 1, lanes) == slices + 1);
            CHECK(slices * slice_bytes<PackedSlot>(96) == particles * lanes * 96 * 8);
            CHECK(slices * slice_bytes<FloatSlot>(96) == particles * lanes * 96 * 16);
            CHECK(slices * slice_bytes<DoubleSlot>(96) == particles * lanes * 96 * 32);
        }
        NeighborListView const list{nullptr, nullptr, particles, 96, 96, 1};
        static_assert(std::is_same_v<decltype(list.rows * list.row_stride), std::int64_t>);
        CHECK((particles - 1) * list.row_stride + 95 == particles * 96 - 1);
    }
    // One slice of a capacity whose bytes pass 2^31.
    CHECK(slice_bytes<DoubleSlot>(1 << 22) == std::int64_t{1} << 32);
    CellGrid grid;
    grid.cells = {3000, 3000, 3000};
    CHECK(grid.cell_count() == 27000000000);
    CHECK(cell_index({2999, 2999, 2999}, grid) == grid.cell_count() - 1);
}
