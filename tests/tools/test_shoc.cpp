#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "tests/support/support.hpp"
#include "tools/bench/sectors.hpp"
#include "tools/bench/shoc_problem.hpp"

using namespace tessera;

namespace
{

/// The 128 nearest by sorting all atoms: the oracle of the cell search.
template <class T>
std::vector<std::int32_t> nearest_by_sorting(ShocProblem<T> const& problem, std::int32_t atom)
{
    std::vector<std::pair<double, std::int32_t>> all;
    auto const& own = problem.position[atom];
    for (std::int32_t other = 0; other < problem.count(); ++other)
    {
        auto const& p = problem.position[other];
        double const dx = double(own.x) - double(p.x);
        double const dy = double(own.y) - double(p.y);
        double const dz = double(own.z) - double(p.z);
        if (other != atom)
        {
            all.emplace_back(dx * dx + dy * dy + dz * dz, other);
        }
    }
    std::sort(all.begin(), all.end());
    std::vector<std::int32_t> nearest;
    for (int slot = 0; slot < shoc_neighbors; ++slot)
    {
        nearest.push_back(all[slot].second);
    }
    return nearest;
}

template <class T, class Slot>
struct HostChunk
{
    HostChunk(std::int64_t count, int lanes, typename Slot::Scale scale)
        : data(slice_count(count, lanes) * slice_bytes<Slot>(shoc_neighbors / lanes),
               std::byte{0xFF}),
          slots(slice_count(count, lanes), -1),
          view{data.data(), slots.data(), 0, count, shoc_neighbors / lanes, lanes, scale}
    {
    }
    std::vector<std::byte> data;
    std::vector<std::int32_t> slots;
    ChunkView<Slot> view;
};

}  // namespace

TEST_CASE("the SHOC list holds exactly the 128 nearest in order")
{
    // 129: everyone lists everyone; 4000 needs more than two shells in the corners.
    auto const count = GENERATE(129, 300, 4000);
    auto const problem = make_shoc_problem<float>(count, AtomOrder::random);
    for (std::int32_t atom = 0; atom < count; atom += 1 + count / 300)
    {
        auto const expected = nearest_by_sorting(problem, atom);
        for (int slot = 0; slot < shoc_neighbors; ++slot)
        {
            REQUIRE(problem.list[static_cast<std::size_t>(slot) * count + atom] == expected[slot]);
        }
    }
    CHECK_THROWS_AS(make_shoc_problem<float>(128, AtomOrder::random), std::invalid_argument);
}

TEST_CASE("the SHOC draw is srand48's and sorting moves atoms without changing them")
{
    auto const drawn = make_shoc_problem<double>(200, AtomOrder::random, 1);
    ::srand48(1);
    for (auto const& p : drawn.position)
    {
        REQUIRE(p.x == ::drand48() * shoc_edge);
        REQUIRE(p.y == ::drand48() * shoc_edge);
        REQUIRE(p.z == ::drand48() * shoc_edge);
    }
    auto sorted = make_shoc_problem<double>(200, AtomOrder::sorted, 1);
    CHECK(sorted.pairs_within == drawn.pairs_within);
    CHECK(sorted.farthest == drawn.farthest);
    CHECK(sorted.closest == drawn.closest);
    CHECK(drawn.closest > 0.0);
    auto const along = morton_order(drawn.position);
    for (std::size_t place = 0; place < along.size(); ++place)
    {
        CHECK(sorted.position[place].x == drawn.position[along[place]].x);
    }
    auto const again = morton_order(sorted.position);
    CHECK(std::is_sorted(again.begin(), again.end()));
}

TEST_CASE("float SHOC forces agree with double")
{
    auto const problem = make_shoc_problem<float>(1000, AtomOrder::random);
    auto const reference = shoc_reference(problem);
    std::vector<Vec3<float>> force(1000);
    cpu::shoc_force(problem.view(), {}, force.data());
    // Displacements of floats up to 20 are exact to 1 ulp; r^-14 multiplies the relative error of
    // r (1e-7) by 14, and 128 terms of either sign are added.
    auto const error = force_error(force, reference);
    CHECK(error.relative < 1e-5);
    CHECK(error.median < 1e-5);
    force[7].y = std::nanf("");
    CHECK(std::isinf(force_error(force, reference).largest));
    CHECK_FALSE(force_error(force, reference).relative < 1.0);
}

TEST_CASE("SHOC's pair is zero at the cutoff and beyond, and at a chunk's padding")
{
    ShocPair<float> const pair;
    CHECK(pair(16.0F, 0, 0).force_over_r == 0.0F);
    CHECK(pair(std::nextafter(16.0F, 0.0F), 0, 0).force_over_r != 0.0F);
    CHECK(pair(1.0F, 0, 0).force_over_r == -0.5F);
    float const far = padding_coordinate<float>;
    CHECK(pair(3.0F * far * far, 0, 0).force_over_r * far == 0.0F);
    PackingScale const scale = packing_scale(4.0, 1);
    auto const d = unpack_displacement(packed_padding(scale), scale);
    CHECK(pair(dot(d, d), 0, 0).force_over_r == 0.0F);
}

TEST_CASE("a reordered SHOC chunk holds each neighbor once, and padding elsewhere")
{
    std::int64_t const count = 333;  // no multiple of a slice at any number of lanes
    auto const problem = make_shoc_problem<float>(count, AtomOrder::random);
    int const lanes = GENERATE(1, 2, 4, 8);
    float const range_sq = GENERATE(16.0F, std::numeric_limits<float>::infinity());
    auto const order = morton_order(problem.position);
    HostChunk<float, FloatSlot> chunk(count, lanes, {});
    cpu::shoc_reorder(problem.view(), order.data(), range_sq, chunk.view);

    std::int64_t found = 0;
    for (std::int64_t row = 0; row < slice_count(count, lanes) * slice_rows; ++row)
    {
        std::int64_t const slice = row / slice_rows;
        std::int64_t const place = row / lanes;
        REQUIRE(chunk.slots[slice] % slot_group == 0);
        REQUIRE(chunk.slots[slice] <= shoc_neighbors / lanes);
        for (int slot = 0; slot < chunk.slots[slice]; ++slot)
        {
            auto const* s = reinterpret_cast<FloatSlot const*>(
                chunk.data.data() + slice * slice_bytes<FloatSlot>(chunk.view.capacity) +
                (static_cast<std::int64_t>(slot) * slice_rows + row % slice_rows) * 16);
            bool const padding = s->x == padding_coordinate<float>;
            std::int32_t const atom = place < count ? order[place] : 0;
            std::int32_t const other =
                problem
                    .list[(static_cast<std::int64_t>(slot) * lanes + row % lanes) * count + atom];
            float const dx = problem.position[atom].x - problem.position[other].x;
            CHECK((padding || (place < count && s->x == dx)));
            found += padding ? 0 : 1;
        }
    }
    CHECK(found == (std::isinf(range_sq) ? count * shoc_neighbors : problem.pairs_within));
}

TEST_CASE("a tiled list and a tiled chunk put the same neighbor in the same slot")
{
    std::int64_t const count = 150;
    auto const problem = make_shoc_problem<float>(count, AtomOrder::random);
    int const lanes = GENERATE(1, 2, 4, 8);
    auto const order = morton_order(problem.position);
    auto const tiled = make_tiled_list(problem.list, count, order, lanes);
    std::vector<int> times_listed(count * count, 0);
    for (std::size_t entry = 0; entry < tiled.size(); ++entry)
    {
        std::size_t const row = entry / slot_group % slice_rows;
        std::size_t const slice = entry / (slot_group * slice_rows * shoc_groups(lanes));
        std::size_t const place = (slice * slice_rows + row) / lanes;
        if (place < static_cast<std::size_t>(count))
        {
            ++times_listed[order[place] * count + tiled[entry]];
        }
        else
        {
            CHECK(tiled[entry] == 0);
        }
    }
    for (std::int64_t atom = 0; atom < count; ++atom)
    {
        for (int slot = 0; slot < shoc_neighbors; ++slot)
        {
            REQUIRE(times_listed[atom * count + problem.list[slot * count + atom]] == 1);
        }
    }
}

TEST_CASE("transactions of hand-made patterns")
{
    std::vector<std::uint64_t> address(32);
    Transactions t;
    SECTION("4 bytes in a line: 4 sectors")
    {
        for (std::size_t lane = 0; lane < 32; ++lane)
        {
            address[lane] = 256 + 4 * lane;
        }
        t.load(address, 4);
        CHECK(t == Transactions{1, 4, 128});
    }
    SECTION("16 bytes in a line: 16 sectors")
    {
        for (std::size_t lane = 0; lane < 32; ++lane)
        {
            address[lane] = 16 * lane;
        }
        t.load(address, 16);
        CHECK(t == Transactions{1, 16, 512});
    }
    SECTION("all alike: 1; all apart: 32; a stride of 32 shifted by 16: 32")
    {
        t.load(address, 4);
        CHECK(t.sectors == 1);
        for (std::size_t lane = 0; lane < 32; ++lane)
        {
            address[lane] = 4096 * lane;
        }
        t.load(address, 16);
        CHECK(t.sectors == 33);
        for (std::size_t lane = 0; lane < 32; ++lane)
        {
            address[lane] = 16 + 32 * lane;
        }
        t.load(address, 16);
        CHECK(t == Transactions{3, 65, 128 + 512 + 512});
    }
}

TEST_CASE("transactions of the paths are what their loops say")
{
    std::int64_t const count = 256;
    auto const problem = make_shoc_problem<float>(count, AtomOrder::random);
    int const lanes = GENERATE(1, 8);
    auto const tiled = make_tiled_list(problem.list, count, {}, lanes);
    ShocTiledList const list{tiled.data(), nullptr, lanes};

    auto const shoc = count_shoc_force(problem.view());
    CHECK(shoc.requests == count / 32 * (1 + 2 * shoc_neighbors));
    CHECK(shoc.bytes == count * (16 + shoc_neighbors * (4 + 16)));
    // A line of indices is 4 sectors; 32 random atoms of 256 lie in 28 of the 128 pairs.
    CHECK(shoc.sectors > count / 32 * shoc_neighbors * (4 + 20));
    CHECK(shoc.sectors < count / 32 * shoc_neighbors * (4 + 32));

    auto const gather = count_shoc_gather(problem.view(), list);
    CHECK(gather.requests == count * lanes / 32 * (1 + 5 * shoc_groups(lanes)));
    auto const reorder = count_shoc_reorder(problem.view(), list, ShocListLayout::column_major);
    CHECK(reorder.requests ==
          count * lanes / 32 * (std::min(8, shoc_groups(lanes)) + 8 * shoc_groups(lanes)));

    // A chunk of packed slots: 8 bytes a neighbor in whole sectors, and one look at the length.
    std::int64_t const slices = slice_count(count, lanes);
    std::vector<std::int32_t> const slots(slices, shoc_neighbors / lanes);
    auto const chunk = count_shoc_chunk_force<PackedSlot>(slots, count, lanes, nullptr);
    CHECK(chunk.sectors == count * shoc_neighbors * 8 / 32 + slices);
    CHECK(chunk.requests == slices * (1 + shoc_neighbors / lanes / 2));
}
