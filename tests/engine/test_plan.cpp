/// What follows from an input: for every device, without one.

#include <cmath>
#include <type_traits>

#include "engine/backend/plan.hpp"
#include "tests/support/support.hpp"
#include "tests/support/systems.hpp"

using namespace tessera;
using namespace tessera::test;

namespace
{

Layout on_gpu(Config const& config, std::int64_t particles, Box const& box)
{
    return cuda_layout(Plan(config), config.force.path, particles, box);
}

Layout on_cpu(Config const& config, std::int64_t particles, Box const& box)
{
    return cpu_layout(Plan(config), config.force.path, particles, box);
}

/// Of a liquid's density.
Box box_of(std::int64_t particles)
{
    return cube(std::cbrt(static_cast<double>(particles) / 0.8));
}

}  // namespace

TEST_CASE("a plan holds the pairs after mixing, and their ranges")
{
    Config config = mixture_config();
    config.neighbor.skin = 0.4;
    Plan const plan(config);
    CHECK(plan.pairs.size() == 4);
    CHECK(plan.max_cutoff == max_cutoff(config));
    CHECK(plan.min_cutoff == min_cutoff(config));
    CHECK(plan.min_cutoff < plan.max_cutoff);
    CHECK(plan.list_radius == plan.max_cutoff + 0.4);
}

TEST_CASE("a backend is compiled for the positions and chunks of each precision and format")
{
    Config config = lennard_jones_config();
    auto const is = [&]<class P, class Slot>(Precision precision, ChunkFormat format) {
        config.force.precision = precision;
        config.reorder.format = format;
        return with_forms(Plan(config), []<class Q, class S>() {
            return std::is_same_v<P, Q> && std::is_same_v<Slot, S>;
        });
    };
    using enum Precision;
    CHECK(is.operator()<FixedPosition, PackedSlot>(mixed, ChunkFormat::packed));
    CHECK(is.operator()<FixedPosition, FloatSlot>(mixed, ChunkFormat::plain));
    CHECK(is.operator()<FloatPosition, PackedSlot>(single, ChunkFormat::packed));
    CHECK(is.operator()<FloatPosition, FloatSlot>(single, ChunkFormat::plain));
    CHECK(is.operator()<DoublePosition, DoubleSlot>(double_, ChunkFormat::packed));
    CHECK(is.operator()<DoublePosition, DoubleSlot>(double_, ChunkFormat::plain));
}

TEST_CASE("only lists that are pruned at each step have an exact one beside them")
{
    Config config = lennard_jones_config();
    config.neighbor.skin = GENERATE(0.0, 0.3);
    config.neighbor.rebuild = GENERATE(Rebuild::every_step, Rebuild::on_displacement);
    bool const prunes =
        config.neighbor.skin > 0.0 && config.neighbor.rebuild == Rebuild::every_step;
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        config.force.path = path;
        CAPTURE(path, config.neighbor.skin, config.neighbor.rebuild);
        Layout const cpu = on_cpu(config, 4000, box_of(4000));
        Layout const gpu = on_gpu(config, 4000, box_of(4000));
        CHECK((cpu.exact_slots > 0) == (prunes && path != ForcePath::reordered));
        CHECK((gpu.exact_slots > 0) == (prunes && path == ForcePath::gather));
        // SHOC's columns are a list of their own on a GPU, whatever the skin.
        CHECK((gpu.column_slots > 0) == (path == ForcePath::shoc));
        CHECK((cpu.chunk_slots > 0) == (path == ForcePath::reordered));
        CHECK((gpu.chunk_slots > 0) == (path == ForcePath::reordered));
        CHECK(gpu.lanes == (path == ForcePath::shoc ? 1 : 16));
    }
}

TEST_CASE("small periodic systems try every pair, large ones move eight bytes a particle")
{
    Config config = lennard_jones_config();
    Box const small = box_of(8192);
    CHECK(on_gpu(config, 8192, small).search == Search::brute);
    CHECK(on_gpu(config, 8193, small).search == Search::cells);
    Box open = small;
    open.boundary.y = Boundary::open;
    CHECK(on_gpu(config, 8192, open).search == Search::cells);
    // So long a box is beyond the resolution of fixed point.
    CHECK(on_gpu(config, 100, cube(1e6)).search == Search::cells);

    Box const large = box_of(200'000);
    CHECK(on_gpu(config, 200'000, large).lanes == 1);
    CHECK(on_gpu(config, 200'000, large).compact);
    CHECK_FALSE(on_gpu(config, 50'000, box_of(50'000)).compact);
    config.reorder.format = ChunkFormat::plain;
    CHECK_FALSE(on_gpu(config, 200'000, large).compact);
}

TEST_CASE("rows stay on the chip unless chunks of a size were asked for")
{
    Config config = lennard_jones_config();
    Box const box = box_of(4000);
    CHECK(on_gpu(config, 4000, box).on_chip);
    CHECK(on_gpu(config, 4000, box).chunk_particles == 4000);
    config.reorder.chunk_particles = 64;
    CHECK_FALSE(on_gpu(config, 4000, box).on_chip);
    CHECK(on_gpu(config, 4000, box).chunk_particles == 64);
}
