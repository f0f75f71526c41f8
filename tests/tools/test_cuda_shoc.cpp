#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "tests/support/need_gpu.hpp"
#include "tests/support/support.hpp"
#include "tools/bench/shoc_problem.hpp"

using namespace tessera;

namespace
{

template <class T>
DeviceBuffer<T> on_device(std::vector<T> const& host, cudaStream_t stream)
{
    return {std::span<T const>(host), stream};
}

/// A problem on the device.
template <class T>
struct DeviceProblem
{
    explicit DeviceProblem(ShocProblem<T> const& problem)
        : position(on_device(problem.position, stream.get())),
          list(on_device(problem.list, stream.get())),
          force(problem.position.size(), stream.get()),
          count(problem.count())
    {
        force.fill_bytes(0xFF, stream.get());  // not-a-number: what is not written shows
    }
    ShocView<T> view() const
    {
        return {position.data(), list.data(), count};
    }
    std::vector<Vec3<T>> forces() const
    {
        std::vector<Vec3<T>> host(static_cast<std::size_t>(count));
        force.download(host, stream.get());
        stream.synchronize();
        return host;
    }
    Stream stream;
    DeviceBuffer<ShocPosition<T>> position;
    DeviceBuffer<std::int32_t> list;
    DeviceBuffer<Vec3<T>> force;
    std::int64_t count;
};

/// A chunk's memory on the device, poisoned.
template <class Slot>
struct DeviceChunk
{
    DeviceChunk(std::int64_t first, std::int64_t count, std::int32_t capacity, int lanes,
                typename Slot::Scale scale, cudaStream_t stream)
        : data(static_cast<std::size_t>(slice_count(count, lanes) * slice_bytes<Slot>(capacity)),
               stream),
          slots(static_cast<std::size_t>(slice_count(count, lanes)), stream),
          view{data.data(), slots.data(), first, count, capacity, lanes, scale}
    {
        data.fill_bytes(0xFF, stream);
        slots.fill_bytes(0xFF, stream);
    }
    DeviceBuffer<std::byte> data;
    DeviceBuffer<std::int32_t> slots;
    ChunkView<Slot> view;
};

/// How far a force may be off: each of its 128 terms has a magnitude m = lj1 r^-13 + lj2 r^-7, and
/// a displacement off by `shift` [sigma] changes it by at most 13 m shift / r along r and by
/// m shift / r in direction, in all below 15 m shift / r; arithmetic adds `relative` m.
template <class T>
std::vector<double> tolerances(ShocProblem<T> const& problem, double shift, double relative)
{
    std::vector<double> tolerance(problem.position.size(), 0.0);
    for (std::int64_t atom = 0; atom < problem.count(); ++atom)
    {
        auto const& own = problem.position[atom];
        for (int slot = 0; slot < shoc_neighbors; ++slot)
        {
            auto const& other = problem.position[problem.list[slot * problem.count() + atom]];
            double const r =
                std::hypot(double(own.x) - double(other.x), double(own.y) - double(other.y),
                           double(own.z) - double(other.z));
            double const magnitude = shoc_lj1 * std::pow(r, -13.0) + shoc_lj2 * std::pow(r, -7.0);
            tolerance[atom] += magnitude * (15.0 * shift / r + relative);
        }
    }
    return tolerance;
}

template <class T>
void check_forces(std::vector<Vec3<T>> const& force, std::vector<Vec3<double>> const& reference,
                  std::vector<double> const& tolerance)
{
    REQUIRE(force.size() == reference.size());
    for (std::size_t atom = 0; atom < force.size(); ++atom)
    {
        Vec3<double> const f{static_cast<double>(force[atom].x), static_cast<double>(force[atom].y),
                             static_cast<double>(force[atom].z)};
        Vec3<double> const d = f - reference[atom];
        CAPTURE(atom, std::sqrt(dot(d, d)), tolerance[atom]);
        REQUIRE(std::sqrt(dot(d, d)) <= tolerance[atom]);
    }
}

/// Pair arithmetic: r^-14 takes 14 rounding errors and one of the reciprocal seven times over, and
/// 128 terms are added: 40 units of rounding cover it.
template <class T>
constexpr double arithmetic_error = 40.0 * std::numeric_limits<T>::epsilon();

/// The scale a chunk of this problem is packed with: all 128 neighbors fit.
template <class Slot, class T>
typename Slot::Scale scale_for(ShocProblem<T> const& problem)
{
    if constexpr (std::is_same_v<Slot, PackedSlot>)
    {
        return packing_scale(std::max(4.0, problem.farthest), 1);
    }
    else
    {
        return {};
    }
}

/// How far a slot's displacement is off.
template <class Slot>
double shift_of(typename Slot::Scale scale)
{
    if constexpr (std::is_same_v<Slot, PackedSlot>)
    {
        // Half a step on each axis, and the rounding of the product with to_grid: another tenth.
        return 1.1 * 0.5 * std::sqrt(3.0) * static_cast<double>(scale.to_sigma);
    }
    else
    {
        return 0.0;
    }
}

}  // namespace

TEMPLATE_TEST_CASE("SHOC's kernel and gathers give the forces", "", float, double)
{
    using T = TestType;
    auto const count = GENERATE(129, 333, 4096);
    auto const problem = make_shoc_problem<T>(count, AtomOrder::random);
    auto const reference = shoc_reference(problem);
    auto const tolerance = tolerances(problem, 0.0, arithmetic_error<T>);
    DeviceProblem<T> const device(problem);

    for (auto const division : {cuda::ShocDivision::ieee, cuda::ShocDivision::approximate})
    {
        device.force.fill_bytes(0xFF, device.stream.get());
        cuda::shoc_force(device.view(), {}, division, device.force.data(), device.stream.get());
        check_forces(device.forces(), reference, tolerance);
    }

    for (int const lanes : {1, 2, 4, 8})
    {
        for (bool const ordered : {false, true})
        {
            auto const order =
                ordered ? morton_order(problem.position) : std::vector<std::int32_t>{};
            auto const tiled = make_tiled_list(problem.list, count, order, lanes);
            auto const d_index = on_device(tiled, device.stream.get());
            auto const d_order = on_device(order, device.stream.get());
            ShocTiledList const list{d_index.data(), d_order.data(), lanes};
            CAPTURE(count, lanes, ordered);

            device.force.fill_bytes(0xFF, device.stream.get());
            cuda::shoc_gather(device.view(), list, {}, device.force.data(), device.stream.get());
            check_forces(device.forces(), reference, tolerance);

            device.force.fill_bytes(0xFF, device.stream.get());
            cuda::shoc_tile_force(device.view(), list, {}, cuda::TileWork::both,
                                  device.force.data(), device.stream.get());
            check_forces(device.forces(), reference, tolerance);
        }
    }
}

TEMPLATE_TEST_CASE("reordered SHOC chunks are the CPU's, bit for bit, and give the forces", "",
                   PackedSlot, FloatSlot, DoubleSlot)
{
    using Slot = TestType;
    using T = typename Slot::Real;
    auto const count = GENERATE(129, 1000, 4096);
    int const lanes = GENERATE(1, 2, 4, 8);
    auto const layout = GENERATE(ShocListLayout::column_major, ShocListLayout::tiled);
    T const range_sq = GENERATE(T(16), std::numeric_limits<T>::infinity());
    float const kept_share = count == 1000 ? 0.4F : 0.0F;
    auto const problem = make_shoc_problem<T>(count, AtomOrder::random);
    auto const order = morton_order(problem.position);
    auto const tiled = make_tiled_list(problem.list, count, order, lanes);
    auto const scale = scale_for<Slot>(problem);
    DeviceProblem<T> const device(problem);
    cudaStream_t const stream = device.stream.get();
    auto const d_index = on_device(tiled, stream);
    auto const d_order = on_device(order, stream);
    ShocTiledList const list{d_index.data(), d_order.data(), lanes};

    // Two windows, cut at a slice: the second begins amid the atoms.
    std::int64_t const cut = slice_rows * ((count / 2 + slice_rows - 1) / slice_rows);
    for (auto const& [first, last] : {std::pair<std::int64_t, std::int64_t>{0, cut}, {cut, count}})
    {
        if (first == last)
        {
            continue;
        }
        std::int64_t const slices = slice_count(last - first, lanes);
        DeviceChunk<Slot> const chunk(first, last - first, shoc_neighbors / lanes, lanes, scale,
                                      stream);
        cuda::shoc_reorder(device.view(), list, {layout, range_sq, kept_share}, chunk.view, stream);
        std::vector<std::byte> data(chunk.data.size());
        std::vector<std::int32_t> slots(static_cast<std::size_t>(slices));
        chunk.data.download(data, stream);
        chunk.slots.download(slots, stream);
        cuda::shoc_chunk_force(chunk.view, d_order.data(), {}, kept_share, device.force.data(),
                               stream);
        device.stream.synchronize();

        std::vector<std::byte> expected_data(data.size(), std::byte{0xFF});
        std::vector<std::int32_t> expected_slots(slots.size(), -1);
        ChunkView<Slot> expected = chunk.view;
        expected.data = expected_data.data();
        expected.slots = expected_slots.data();
        cpu::shoc_reorder(problem.view(), order.data(), range_sq, expected);
        CAPTURE(count, lanes, first);
        REQUIRE(slots == expected_slots);
        REQUIRE(data == expected_data);
    }
    auto const tolerance = tolerances(problem, shift_of<Slot>(scale), arithmetic_error<T>);
    check_forces(device.forces(), shoc_reference(problem), tolerance);
}

TEMPLATE_TEST_CASE("a chunk of one atom, and rows that end at the last lane", "", FloatSlot,
                   DoubleSlot)
{
    using Slot = TestType;
    using T = typename Slot::Real;
    int const lanes = GENERATE(1, 2, 4, 8, 16, 32);
    std::int64_t const count = GENERATE(1, 2, 3, 31, 33);
    Stream const stream;
    constexpr std::int32_t capacity = 12;
    DeviceChunk<Slot> const chunk(5, count, capacity, lanes, {}, stream.get());
    // One neighbor an atom, in its last lane's slot 6 of 8 in use; the rest is padding.
    T const far = padding_coordinate<T>;
    std::vector<std::byte> data(chunk.data.size(), std::byte{0xFF});
    std::vector<std::int32_t> const slots(static_cast<std::size_t>(slice_count(count, lanes)), 8);
    for (std::int64_t row = 0; row < slice_count(count, lanes) * slice_rows; ++row)
    {
        std::byte* const slice = data.data() + row / slice_rows * slice_bytes<Slot>(capacity);
        for (int slot = 0; slot < 8; ++slot)
        {
            bool const neighbor = slot == 6 && row % lanes == lanes - 1 && row / lanes < count;
            T const value[4] = {neighbor ? T(1) + T(0.01) * T(row / lanes) : far,
                                neighbor ? T(0) : far, neighbor ? T(0) : far, T(0)};
            for (int part = 0; part < Slot::bytes / 16; ++part)
            {
                std::copy_n(
                    reinterpret_cast<std::byte const*>(value) + 16 * part, 16,
                    slice +
                        ((slot * (Slot::bytes / 16) + part) * slice_rows + row % slice_rows) * 16);
            }
        }
    }
    chunk.data.upload(data, stream.get());
    chunk.slots.upload(slots, stream.get());
    DeviceBuffer<Vec3<T>> const d_force(static_cast<std::size_t>(count + 6), stream.get());
    d_force.fill_bytes(0, stream.get());
    cuda::shoc_chunk_force(chunk.view, nullptr, {}, 0.0F, d_force.data(), stream.get());
    std::vector<Vec3<T>> force(d_force.size());
    d_force.download(force, stream.get());
    stream.synchronize();
    for (std::int64_t atom = 0; atom < count; ++atom)
    {
        T const r = T(1) + T(0.01) * T(atom);
        T const expected = ShocPair<T>{}(r * r, 0, 0).force_over_r * r;
        CAPTURE(lanes, count, atom);
        // A difference of two like terms near r = 1: their rounding, not the result's.
        CHECK(std::abs(force[atom + 5].x - expected) <= 40 * std::numeric_limits<T>::epsilon() * 3);
        CHECK(force[atom + 5].y == 0);
    }
    // Atoms before and after the chunk are left alone.
    CHECK(force[4] == Vec3<T>{});
    CHECK(force[static_cast<std::size_t>(count) + 5] == Vec3<T>{});
}
