#include <fmt/core.h>

#include <chrono>

#include "tools/bench/bench.hpp"
#include "tools/bench/shoc_device.hpp"
#include "tools/bench/timing.hpp"

namespace tessera
{
namespace
{

double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Seconds of `work` on the host, which waits for whatever it queues.
template <class Work>
Timing time_host(int repeats, Work const& work)
{
    std::vector<double> seconds;
    constexpr int warm_up = 3;
    for (int round = 0; round < warm_up + repeats; ++round)
    {
        double const start = seconds_now();
        work();
        if (round >= warm_up)
        {
            seconds.push_back(seconds_now() - start);
        }
    }
    return timing_of(std::move(seconds));
}

/// A chunk's memory on the host, page-locked so that copies run at full speed.
struct HostChunk
{
    HostChunk(DeviceChunk<PackedSlot> const& twin)
        : data(twin.data().size()), slots(twin.slots().size()), view(twin.view())
    {
        view.data = data.data();
        view.slots = slots.data();
    }
    PinnedBuffer<std::byte> data;
    PinnedBuffer<std::int32_t> slots;
    ChunkView<PackedSlot> view;
};

/// Bytes that differ between the chunk the device made and the host's.
std::int64_t different_bytes(DeviceChunk<PackedSlot> const& device, HostChunk const& host,
                             Stream const& stream)
{
    std::vector<std::byte> data(device.data().size());
    std::vector<std::int32_t> slots(device.slots().size());
    device.data().download(data, stream.get());
    device.slots().download(slots, stream.get());
    stream.synchronize();
    std::int64_t different = 0;
    for (std::size_t at = 0; at < data.size(); ++at)
    {
        different += data[at] != host.data[at] ? 1 : 0;
    }
    for (std::size_t at = 0; at < slots.size(); ++at)
    {
        different += slots[at] != host.slots[at] ? 4 : 0;
    }
    return different;
}

void measure_size(BenchReport& report, BenchOptions const& options, std::int64_t count,
                  AtomOrder order)
{
    char const* const order_name = order == AtomOrder::random ? "random" : "sorted";
    auto const problem = make_shoc_problem<float>(count, order);
    auto const cutoff_sq = static_cast<float>(shoc_cutoff_sq);
    Stream const stream;
    DeviceShoc<float> const atoms(problem, {}, stream.get());
    report.heading(fmt::format("{} atoms in {} order into packed chunks", count, order_name));
    for (int const lanes : {1, 2, 4, 8})
    {
        DeviceTiledList const tiled(problem.list, count, {}, lanes, stream.get());
        DeviceChunk<PackedSlot> const chunk(0, count, lanes, packing_scale(4.0, 1), stream.get());
        HostChunk const host(chunk);
        PinnedBuffer<ShocPosition<float>> const position(problem.position.size());
        ShocView<float> const host_atoms{position.data(), problem.list.data(), count};

        auto const on_device = time_alternating(
            {[&](cudaStream_t s) {
                 cuda::shoc_reorder(atoms.view(), tiled.view(nullptr),
                                    {ShocListLayout::column_major, cutoff_sq}, chunk.view(), s);
             },
             [&](cudaStream_t s) {
                 cuda::shoc_reorder(atoms.view(), tiled.view(nullptr),
                                    {ShocListLayout::tiled, cutoff_sq}, chunk.view(), s);
             }},
            LaunchMode::graph, options.repeats, options.batch, stream);
        auto const fetch = [&] {
            atoms.positions().download(position.span(), stream.get());
            stream.synchronize();
        };
        auto const reorder = [&] {
            cpu::shoc_reorder(host_atoms, nullptr, cutoff_sq, host.view);
        };
        fetch();
        Timing const on_host = time_host(options.repeats, reorder);
        std::int64_t const different = different_bytes(chunk, host, stream);
        Timing const with_transfers = time_host(options.repeats, [&] {
            fetch();
            reorder();
            chunk.data().upload(host.data.span(), stream.get());
            chunk.slots().upload(host.slots.span(), stream.get());
            stream.synchronize();
        });
        auto const add = [&](char const* where, Timing const& timing) {
            double const ratio = timing.median / on_device[1].median;
            report.add(fmt::format("{}, {} lanes", where, lanes), timing,
                       {{"count", count},
                        {"order", order_name},
                        {"lanes", lanes},
                        {"where", where},
                        {"times_gpu_tiled", ratio},
                        {"different_bytes", different}},
                       fmt::format("{:>7.1f}x of the GPU, {} bytes differ", ratio, different));
        };
        add("GPU, SHOC's list", on_device[0]);
        add("GPU, tiled list", on_device[1]);
        add("all CPU cores", on_host);
        add("all CPU cores with transfers", with_transfers);
    }
}

}  // namespace

int bench_reorder(BenchOptions const& options)
{
    auto counts = options.counts;
    if (counts.empty())
    {
        counts = {12288, 73728};
    }
    BenchReport report("reorder", describe_device());
    for (std::int64_t const count : counts)
    {
        for (AtomOrder const order : {AtomOrder::random, AtomOrder::sorted})
        {
            measure_size(report, options, count, order);
        }
    }
    report.write(options.json);
    return 0;
}

}  // namespace tessera
