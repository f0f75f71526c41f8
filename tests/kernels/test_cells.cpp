/// Cells of systems that are sparse, elongated or flying apart: the same neighbors as by every
/// pair, for the work of what is near.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/arithmetic/pair_space.hpp"
#include "kernels/neighbor/cells.hpp"
#include "kernels/neighbor/neighbor.hpp"
#include "kernels/neighbor/sort.hpp"
#include "tests/support/scattered.hpp"
#include "tests/support/support.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

constexpr double radius = 2.8;

GridSpec spec_of(Places const& places)
{
    double const edge = 0.5 * radius;
    return {places.box,
            cpu::find_bounds(places.position.data(), places.count(), places.box),
            {edge, edge, edge},
            radius};
}

struct Sorted
{
    CellGrid grid;
    cpu::CellSort sort;
};

/// Sorted in the grid that is chosen for them.
Sorted sorted(Places const& places)
{
    std::vector<std::int64_t> id(places.position.size());
    std::iota(id.begin(), id.end(), std::int64_t{1});
    Sorted sorted;
    sorted.grid =
        sorted.sort.sort(places.position.data(), id.data(), places.count(), spec_of(places));
    return sorted;
}

Sorted sorted_in(Places const& places, CellGrid const& grid)
{
    std::vector<std::int64_t> id(places.position.size());
    std::iota(id.begin(), id.end(), std::int64_t{1});
    Sorted sorted{grid, {}};
    sorted.sort.sort(places.position.data(), id.data(), places.count(), grid);
    return sorted;
}

/// Rows of neighbors in the order of the search, [new index].
std::vector<std::vector<std::int32_t>> list_of(Places const& places, Sorted const& sorted)
{
    auto const& [grid, sort] = sorted;
    std::vector<DoublePosition> encoded;
    PairSpace space{};
    for (int axis = 0; axis < 3; ++axis)
    {
        space.period[axis] = places.box.periodic(axis) ? places.box.edges[axis] : 0.0;
    }
    for (std::int32_t const old : sort.order())
    {
        Vec3<double> const p = places.position[static_cast<std::size_t>(old)];
        encoded.push_back({p.x, p.y, p.z, 0});
    }
    constexpr std::int32_t capacity = 256;
    std::vector<std::int32_t> neighbor(encoded.size() * capacity), count(encoded.size());
    auto const counts = cpu::build_list<DoublePosition>(
        {encoded.data(), places.count(), DoublePosition::scale(space)}, grid, sort.cells(),
        {radius * radius, nullptr, 1},
        {neighbor.data(), count.data(), places.count(), capacity, capacity, 1});
    REQUIRE(counts.longest <= capacity);
    std::vector<std::vector<std::int32_t>> rows;
    for (std::size_t row = 0; row < count.size(); ++row)
    {
        auto const first = neighbor.begin() + static_cast<std::ptrdiff_t>(row * capacity);
        rows.emplace_back(first, first + count[row]);
    }
    return rows;
}

/// Pairs of ranks within the radius, each once, by the cells.
std::vector<std::pair<std::int32_t, std::int32_t>> pairs_of(Places const& places,
                                                            Sorted const& by_cells)
{
    auto const rows = list_of(places, by_cells);
    std::vector<std::int32_t> const& order = by_cells.sort.order();
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t row = 0; row < rows.size(); ++row)
    {
        for (std::int32_t const neighbor : rows[row])
        {
            std::int32_t const a = order[row];
            std::int32_t const b = order[static_cast<std::size_t>(neighbor)];
            if (a < b)
            {
                pairs.emplace_back(a, b);
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

std::vector<std::pair<std::int32_t, std::int32_t>> pairs_by_brute_force(Places const& places)
{
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    for (std::size_t i = 0; i < places.position.size(); ++i)
    {
        for (std::size_t j = i + 1; j < places.position.size(); ++j)
        {
            auto const d = minimum_image(places.position[i] - places.position[j], places.box);
            if (dot(d, d) < radius * radius)
            {
                pairs.emplace_back(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j));
            }
        }
    }
    return pairs;
}

/// Distance tests that a list of every particle's neighbors takes.
std::int64_t tests_of(Sorted const& sorted)
{
    cpu::SortedCells const cells = sorted.sort.cells();
    cpu::RowFinder rows(cells, sorted.grid);
    std::int64_t tests = 0;
    for (std::int64_t cell = 0; cell < cells.count; ++cell)
    {
        std::int64_t const own = cells.start[cell + 1] - cells.start[cell];
        if (own > 0)
        {
            cpu::for_each_run_around(
                cells.coordinates(cell, sorted.grid), sorted.grid, rows,
                [&](cpu::ParticleRun run) { tests += own * (run.end - run.begin); });
        }
    }
    return tests;
}

}  // namespace

TEST_CASE("neighbors through cells are those of every pair, however far particles are")
{
    for (Places const& places : scattered_systems())
    {
        INFO(places.name << ", " << places.count() << " particles");
        auto const expected = pairs_by_brute_force(places);
        CHECK(pairs_of(places, sorted(places)) == expected);
        CHECK(pairs_of(places, sorted_in(places, lay_sparse(spec_of(places)))) == expected);
        CHECK(pairs_of(places, sorted_in(places, lay_dense(spec_of(places), places.count()))) ==
              expected);
    }
}

TEST_CASE("both layouts of a grid give the same order and the same lists")
{
    int compared = 0;
    for (Places const& places : scattered_systems())
    {
        CellGrid grid = lay_sparse(spec_of(places));
        if (static_cast<double>(grid.cells.x) * grid.cells.y * grid.cells.z > 1e6)
        {
            continue;
        }
        INFO(places.name);
        Sorted const sparse = sorted_in(places, grid);
        grid.layout = CellLayout::dense;
        Sorted const dense = sorted_in(places, grid);
        CHECK(sparse.sort.order() == dense.sort.order());
        CHECK(sparse.sort.cells().count <= places.count());
        CHECK(list_of(places, sparse) == list_of(places, dense));
        ++compared;
    }
    CHECK(compared >= 10);
}

TEST_CASE("a particle that escaped adds no work to those that stayed")
{
    std::int64_t const tests = tests_of(sorted(droplet({})));
    for (double const far : {1e2, 1e3, 1e6, 1e9})
    {
        Places const places = droplet({{far, -far, far}});
        Sorted const by_cells = sorted(places);
        CHECK(by_cells.grid.layout == CellLayout::sparse);
        CHECK(by_cells.sort.cells().count <= places.count());
        // Cells are laid from another corner: the same work but for what that cuts elsewhere.
        CHECK(static_cast<double>(tests_of(by_cells)) <= 1.25 * static_cast<double>(tests));
    }
}

TEST_CASE("the work of a search follows the particles near each other, whatever the box")
{
    Places const needle = elongated_box();
    auto const pairs = static_cast<std::int64_t>(pairs_by_brute_force(needle).size());
    // Five cells of half the radius are 2.5 times the radius along x; y and z are searched whole.
    CHECK(tests_of(sorted(needle)) <= 3 * (2 * pairs + needle.count()));
    for (double const extent : {1e4, 1e6, 1e9})
    {
        // Each of them, its partner, and chance meetings in cells that are wide for there are few.
        Places const gas = exploding_gas(10000, extent);
        CHECK(tests_of(sorted(gas)) <= 20 * gas.count());
    }
}

TEST_CASE("twenty thousand particles, each pair in its own far place, find each other")
{
    Places const gas = exploding_gas(10000, 1e6);
    CHECK(pairs_of(gas, sorted(gas)) == pairs_by_brute_force(gas));
}

TEST_CASE("cells are as wide as asked unless particles are spread thinly")
{
    for (Places const& places : scattered_systems())
    {
        INFO(places.name << ", " << places.count() << " particles");
        CellGrid const grid = sorted(places).grid;
        CellGrid const dense = lay_dense(spec_of(places), places.count());
        CHECK(dense.cell_count() <= 4 * places.count() + 64);
        CHECK((grid.layout == CellLayout::sparse) <= (dense.widening > 1.0));
        for (CellGrid const& laid : {grid, dense})
        {
            for (int axis = 0; axis < 3; ++axis)
            {
                bool const whole = laid.reach[axis] == laid.cells[axis] || laid.cells[axis] == 1;
                CHECK((whole || laid.reach[axis] * laid.width(axis) >= radius));
                CHECK((whole || laid.width(axis) < radius * laid.widening));
            }
        }
        CHECK(grid.widening <= most_widening);
    }
    // Evenly thin: a few wide cells. Crowded beside empty space: the cells that were asked for.
    Box const thin = cube(150.0);
    Places const gas{"thin gas", thin, random_positions(500, thin, 0.9, 6)};
    CHECK(sorted(gas).grid.layout == CellLayout::dense);
    CHECK(sorted(gas).grid.widening > 4.0);
    CHECK(sorted(droplet({{1e3, 1e3, 0.0}})).grid.layout == CellLayout::sparse);
    // Wide cells would bring particles together that no precision holds together.
    CHECK(sorted(exploding_gas(1500, 1e6)).grid.layout == CellLayout::sparse);
}

TEST_CASE("no pair within the radius is farther apart than the reach, where coordinates are coarse")
{
    Box const box = cube(1.0, Boundary::open);
    std::mt19937 generator(5);
    for (double const length : {1e5 * 1.35, 5e8 * 1.35, 1e9 * 1.35, 4e9})
    {
        // Fine coordinates near 0, coarse ones where they are measured from the grid's corner.
        double const low = -0.5 * length;
        CellGrid const grid =
            lay_sparse({box, {{low, 0.0, 0.0}, {-low, 0.1, 0.1}}, {1.35, 1.35, 1.35}, 2.7});
        std::uniform_int_distribution<int> some_cell(-1000, 1000);
        int farthest = 0;
        for (int trial = 0; trial < 100000; ++trial)
        {
            // On the face of a cell, where rounding decides between two.
            double const x = low + (grid.cells.x / 2 + some_cell(generator)) * grid.width(0);
            double const other = x + 2.7 * (1.0 - 1e-12);
            REQUIRE(other - x < 2.7);
            farthest = std::max(
                farthest, cell_of({other, 0.0, 0.0}, grid).x - cell_of({x, 0.0, 0.0}, grid).x);
        }
        CHECK(farthest <= grid.reach.x);
        CHECK(farthest >= grid.reach.x - 1);
    }
}

TEST_CASE("what is held is finite and within the farthest coordinate")
{
    double const farthest = farthest_held(2.5);
    CHECK(farthest > 1e9);
    CHECK(is_held({1e9, -1e9, 0.0}, farthest));
    CHECK(is_held({farthest, -farthest, farthest}, farthest));
    for (double const beyond : {1.0001 * farthest, -1.0001 * farthest, HUGE_VAL, std::nan("")})
    {
        CHECK_FALSE(is_held({beyond, 0.0, 0.0}, farthest));
        CHECK_FALSE(is_held({0.0, beyond, 0.0}, farthest));
        CHECK_FALSE(is_held({0.0, 0.0, beyond}, farthest));
    }
    // A double is as exact there as a float is at the radius.
    CHECK(std::nextafter(farthest, HUGE_VAL) - farthest <=
          2.0 * (double{std::nextafterf(2.5F, HUGE_VALF)} - 2.5));
}
