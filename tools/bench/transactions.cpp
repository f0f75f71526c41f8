#include "tools/bench/transactions.hpp"

#include <fmt/core.h>

#include "tools/bench/bench.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/sectors.hpp"

namespace tessera
{
namespace
{

/// Adds rows in the order in which launch_paths_once() launches the kernels.
class TransactionTable
{
public:
    TransactionTable(BenchReport& report, std::int64_t count, char const* order)
        : report_(report), count_(count), order_(order)
    {
    }

    void add(char const* path, char const* kernel, int lanes, Transactions const& t)
    {
        double const neighbors = static_cast<double>(count_ * shoc_neighbors);
        double const sectors = static_cast<double>(t.sectors) / neighbors;
        if (shoc_sectors_ == 0.0)
        {
            shoc_sectors_ = sectors;
        }
        report_.add(
            fmt::format("{} {} lanes {}", count_, path, lanes),
            {{"count", count_},
             {"order", order_},
             {"path", path},
             {"kernel", kernel},
             {"lanes", lanes},
             {"requests", t.requests},
             {"sectors", t.sectors},
             {"requests_per_neighbor", static_cast<double>(t.requests) / neighbors},
             {"sectors_per_neighbor", sectors},
             {"fewer_sectors_than_shoc", shoc_sectors_ / sectors}},
            fmt::format("{:>8.4f} sectors {:>8.4f} requests a neighbor  {:>6.2f}x fewer", sectors,
                        static_cast<double>(t.requests) / neighbors, shoc_sectors_ / sectors));
    }

private:
    BenchReport& report_;
    std::int64_t count_;
    char const* order_;
    double shoc_sectors_ = 0.0;
};

std::vector<std::int32_t> slots_in_use(ShocProblem<float> const& problem,
                                       std::vector<std::int32_t> const& order, int lanes)
{
    std::int64_t const slices = slice_count(problem.count(), lanes);
    std::int32_t const capacity = shoc_neighbors / lanes;
    std::vector<std::int32_t> slots(static_cast<std::size_t>(slices));
    std::vector<std::byte> data(
        static_cast<std::size_t>(slices * slice_bytes<PackedSlot>(capacity)));
    cpu::shoc_reorder(problem.view(), order.empty() ? nullptr : order.data(),
                      static_cast<float>(shoc_cutoff_sq),
                      ChunkView<PackedSlot>{data.data(), slots.data(), 0, problem.count(), capacity,
                                            lanes, packing_scale(4.0, 1)});
    return slots;
}

void count_paths(BenchReport& report, ShocProblem<float> const& problem,
                 std::vector<std::int32_t> const& order, char const* order_name)
{
    TransactionTable table(report, problem.count(), order_name);
    std::int32_t const* const places = order.empty() ? nullptr : order.data();
    table.add("shoc", "shoc_force_kernel", 1, count_shoc_force(problem.view()));
    for (int const lanes : transaction_lanes)
    {
        auto const tiled = make_tiled_list(problem.list, problem.count(), order, lanes);
        ShocTiledList const list{tiled.data(), places, lanes};
        table.add("gather", "shoc_gather_kernel", lanes, count_shoc_gather(problem.view(), list));
        Transactions const reorder =
            count_shoc_reorder(problem.view(), list, ShocListLayout::tiled);
        table.add("reorder", "shoc_reorder_kernel", lanes, reorder);
        Transactions const force = count_shoc_chunk_force<PackedSlot>(
            slots_in_use(problem, order, lanes), problem.count(), lanes, places);
        table.add("force on packed chunks", "consume_chunk_kernel", lanes, force);
        table.add("reorder + force, whole path", "", lanes,
                  {reorder.requests + force.requests, reorder.sectors + force.sectors,
                   reorder.bytes + force.bytes});
    }
}

}  // namespace

int bench_transactions(BenchOptions const& options)
{
    auto counts = options.counts;
    if (counts.empty())
    {
        counts = {12288, 73728};
    }
    BenchReport report("transactions", describe_host());
    for (std::int64_t const count : counts)
    {
        for (AtomOrder const order : {AtomOrder::random, AtomOrder::sorted})
        {
            char const* const name = order == AtomOrder::random ? "random" : "sorted";
            auto const problem = make_shoc_problem<float>(count, order);
            report.heading(fmt::format("loads, {} atoms in {} order, float", count, name));
            count_paths(report, problem, {}, name);
            bool const launched = launch_paths_once(problem, {});
            report.add("launched on a GPU", {{"count", count}, {"launched", launched}},
                       launched ? "once a kernel" : "no");
        }
    }
    report.write(options.json);
    return 0;
}

}  // namespace tessera
