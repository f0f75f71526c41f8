#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "tools/bench/shoc_case.hpp"
#include "tools/bench/shoc_pipeline.hpp"

namespace tessera
{
namespace
{

constexpr std::array<int, 4> lane_counts{1, 2, 4, 8};

/// In which order atoms take their places in rows: as they lie, or along a curve through space.
enum class RowOrder : std::uint8_t
{
    natural,
    sorted
};

char const* name_of(RowOrder order)
{
    return order == RowOrder::natural ? "" : ", rows sorted";
}

/// Tiled lists of a case, for every number of lanes, in one order of rows.
template <class T>
class Lists
{
public:
    Lists(ShocCase<T> const& problem, RowOrder row_order)
        : row_order_(row_order),
          host_order_(row_order == RowOrder::sorted ? morton_order(problem.problem().position)
                                                    : std::vector<std::int32_t>{}),
          order_(std::span<std::int32_t const>(host_order_), problem.stream().get())
    {
        for (int const lanes : lane_counts)
        {
            lists_.emplace_back(problem.problem().list, problem.problem().count(), host_order_,
                                lanes, problem.stream().get());
        }
        problem.stream().synchronize();
    }
    ShocTiledList view(std::size_t which) const
    {
        return lists_[which].view(order_.data());
    }
    RowOrder row_order() const
    {
        return row_order_;
    }

private:
    RowOrder row_order_;
    std::vector<std::int32_t> host_order_;
    DeviceBuffer<std::int32_t> order_;
    std::vector<DeviceTiledList> lists_;
};

/// The gathers, for every number of lanes.
template <class T>
void measure_gathers(ShocCase<T> const& problem, Lists<T> const& lists)
{
    std::vector<ShocRow> rows{problem.shoc_row()};
    auto const& atoms = problem.atoms();
    for (std::size_t at = 0; at < lane_counts.size(); ++at)
    {
        ShocTiledList const list = lists.view(at);
        rows.push_back({fmt::format("gather, {} lanes{}", list.lanes, name_of(lists.row_order())),
                        {{"path", "gather"},
                         {"lanes", list.lanes},
                         {"rows", lists.row_order() == RowOrder::sorted ? "sorted" : "natural"}},
                        [&atoms, list](cudaStream_t s) {
                            cuda::shoc_gather(atoms.view(), list, {}, atoms.force(), s);
                        },
                        ShocRow::Leaves::forces});
    }
    problem.measure(rows, LaunchMode::graph);
}

/// In one kernel, reorder and force through tiles in shared memory: both, and each alone.
template <class T>
void measure_tiles(ShocCase<T> const& problem, Lists<T> const& lists)
{
    std::vector<ShocRow> rows{problem.shoc_row()};
    auto const& atoms = problem.atoms();
    auto const add = [&](ShocTiledList list, cuda::TileWork work, char const* what) {
        rows.push_back(
            {fmt::format("tiles: {}, {} lanes{}", what, list.lanes, name_of(lists.row_order())),
             {{"path", "tiles"},
              {"stage", what},
              {"lanes", list.lanes},
              {"rows", lists.row_order() == RowOrder::sorted ? "sorted" : "natural"}},
             [&atoms, list, work](cudaStream_t s) {
                 cuda::shoc_tile_force(atoms.view(), list, {}, work, atoms.force(), s);
             },
             work == cuda::TileWork::both ? ShocRow::Leaves::forces : ShocRow::Leaves::nothing});
    };
    for (std::size_t at = 0; at < lane_counts.size(); ++at)
    {
        add(lists.view(at), cuda::TileWork::both, "reorder + force");
        add(lists.view(at), cuda::TileWork::reorder_alone, "reorder alone");
        add(lists.view(at), cuda::TileWork::force_alone, "force alone");
    }
    auto const timings = problem.measure(rows, LaunchMode::graph);
    for (std::size_t at = 1; at < rows.size(); at += 3)
    {
        double const both = timings[at].median;
        double const reorder = timings[at + 1].median;
        double const force = timings[at + 2].median;
        double const hidden = (reorder + force - both) / std::min(reorder, force);
        nlohmann::ordered_json details = rows[at].details;
        details["hidden_share"] = hidden;
        details["formula"] =
            "(reorder alone + force alone - both) / min(reorder alone, force alone)";
        problem.remark(rows[at].what + ", hidden", std::move(details),
                       fmt::format("{:.0f} % of the shorter", 100.0 * hidden));
    }
}

/// Reorder alone, force alone and both in one stream, for every number of lanes. Returns which
/// number of lanes was fastest in all.
template <class T, class Slot>
std::size_t measure_chunks(ShocCase<T> const& problem, Lists<T> const& lists, ShocListLayout layout,
                           T range_sq)
{
    using Naming = SlotNaming<T, Slot>;
    bool const keeps_all = range_sq > T(shoc_cutoff_sq);
    double const farthest = keeps_all ? problem.problem().farthest : 4.0;
    std::vector<std::unique_ptr<ShocPipeline<T, Slot>>> pipelines;
    std::vector<ShocRow> rows{problem.shoc_row()};
    std::string const suffix =
        fmt::format("{} slots{}{}{}", Naming::name, keeps_all ? ", all 128 kept" : "",
                    layout == ShocListLayout::tiled ? ", tiled list" : ", SHOC's list",
                    name_of(lists.row_order()));
    for (std::size_t at = 0; at < lane_counts.size(); ++at)
    {
        pipelines.push_back(std::make_unique<ShocPipeline<T, Slot>>(
            problem.atoms(), ReorderInput<T>{lists.view(at), {layout, range_sq}},
            Naming::scale(farthest), PipelineShape{}, problem.stream().get()));
        auto const& pipeline = *pipelines.back();
        nlohmann::ordered_json const details{
            {"path", "reordered"},
            {"slot", Naming::name},
            {"kept", keeps_all ? "all" : "within cutoff"},
            {"list", layout == ShocListLayout::tiled ? "tiled" : "column-major"},
            {"rows", lists.row_order() == RowOrder::sorted ? "sorted" : "natural"},
            {"lanes", lane_counts[at]}};
        auto const add = [&](char const* stage, DeviceWork work, ShocRow::Leaves leaves) {
            nlohmann::ordered_json row_details = details;
            row_details["stage"] = stage;
            rows.push_back({fmt::format("{}, {} lanes, {}", stage, lane_counts[at], suffix),
                            std::move(row_details), std::move(work), leaves});
        };
        add(
            "reorder", [&pipeline](cudaStream_t s) { pipeline.queue_reorders(s); },
            ShocRow::Leaves::nothing);
        add(
            "force", [&pipeline](cudaStream_t s) { pipeline.queue_forces(s); },
            ShocRow::Leaves::forces);
        add(
            "reorder + force", [&pipeline](cudaStream_t s) { pipeline.queue(s); },
            ShocRow::Leaves::forces);
    }
    auto const timings = problem.measure(rows, LaunchMode::graph);
    std::size_t best = 0;
    for (std::size_t at = 1; at < lane_counts.size(); ++at)
    {
        best = timings[3 + 3 * at].median < timings[3 + 3 * best].median ? at : best;
    }
    return best;
}

/// The share of a chunk that the second-level cache is asked to keep. SHOC's kernel is not timed in
/// turn with these: what they keep is lost to it. `baseline` is its time [s] without them.
template <class T, class Slot>
void measure_residence(ShocCase<T> const& problem, ReorderInput<T> input, double baseline)
{
    using Naming = SlotNaming<T, Slot>;
    std::vector<std::unique_ptr<ShocPipeline<T, Slot>>> pipelines;
    std::vector<ShocRow> rows;
    for (float const share : {0.0F, 0.05F, 0.1F, 0.15F, 0.2F, 0.3F})
    {
        input.rule.kept_share = share;
        pipelines.push_back(std::make_unique<ShocPipeline<T, Slot>>(
            problem.atoms(), input, Naming::scale(4.0), PipelineShape{}, problem.stream().get()));
        auto const& pipeline = *pipelines.back();
        auto const add = [&](char const* stage, DeviceWork work, ShocRow::Leaves leaves) {
            rows.push_back({fmt::format("{}, {:.2f} of the chunk kept in L2", stage, share),
                            {{"path", "residence"},
                             {"slot", Naming::name},
                             {"lanes", input.list.lanes},
                             {"rows", input.list.order != nullptr ? "sorted" : "natural"},
                             {"stage", stage},
                             {"kept_share", share}},
                            std::move(work),
                            leaves});
        };
        add(
            "reorder", [&pipeline](cudaStream_t s) { pipeline.queue_reorders(s); },
            ShocRow::Leaves::nothing);
        add(
            "force", [&pipeline](cudaStream_t s) { pipeline.queue_forces(s); },
            ShocRow::Leaves::forces);
        add(
            "reorder + force", [&pipeline](cudaStream_t s) { pipeline.queue(s); },
            ShocRow::Leaves::forces);
    }
    problem.measure(rows, LaunchMode::graph, baseline);
    // Nothing after this may find its data crowded out by what was kept.
    cuda_check(cudaCtxResetPersistingL2Cache(), "release the second-level cache");
}

/// One stream first, then reorder streams x chunks, each chunk with its own memory, then rings.
std::vector<PipelineShape> overlap_shapes()
{
    std::vector<PipelineShape> shapes{{0, 1, 1}};
    for (int const streams : {1, 2, 4})
    {
        for (int const chunks : {2, 4})
        {
            shapes.push_back({streams, chunks, chunks});
        }
    }
    shapes.insert(shapes.end(), {{0, 4, 1}, {1, 4, 2}, {2, 8, 3}, {4, 8, 8}});
    return shapes;
}

/// Says how much of the shorter stage the best overlapped row hid. Rows: the baseline, one stream,
/// the overlapped ones, reorder alone, force alone.
template <class T>
void remark_hidden(ShocCase<T> const& problem, std::vector<ShocRow> const& rows,
                   std::vector<Timing> const& timings)
{
    std::size_t const reorder = rows.size() - 2;
    std::size_t const force = rows.size() - 1;
    std::size_t best = 2;
    for (std::size_t at = 2; at < reorder; ++at)
    {
        best = timings[at].median < timings[best].median ? at : best;
    }
    double const hidden = (timings[1].median - timings[best].median) /
                          std::min(timings[reorder].median, timings[force].median);
    nlohmann::ordered_json details = rows[best].details;
    details["hidden_share"] = hidden;
    details["formula"] = "(one stream - overlapped) / min(reorder, force)";
    problem.remark("best of " + rows[best].what + ", hidden", std::move(details),
                   fmt::format("{:.0f} % of the shorter", 100.0 * hidden));
}

/// Streams and chunks against one stream, for the fastest number of lanes.
template <class T, class Slot>
void measure_overlap(ShocCase<T> const& problem, ReorderInput<T> input, char const* rows_name)
{
    using Naming = SlotNaming<T, Slot>;
    auto const& atoms = problem.atoms();
    auto const make = [&](PipelineShape shape) {
        return std::make_unique<ShocPipeline<T, Slot>>(atoms, input, Naming::scale(4.0), shape,
                                                       problem.stream().get());
    };
    auto const shapes = overlap_shapes();
    std::vector<std::unique_ptr<ShocPipeline<T, Slot>>> pipelines;
    std::vector<ShocRow> rows{problem.shoc_row()};
    auto const add = [&](std::string what, PipelineShape shape, DeviceWork work,
                         ShocRow::Leaves leaves) {
        rows.push_back({std::move(what),
                        {{"path", "overlapped"},
                         {"slot", Naming::name},
                         {"lanes", input.list.lanes},
                         {"rows", rows_name},
                         {"reorder_streams", shape.reorder_streams},
                         {"chunks", shape.chunks},
                         {"ring", shape.ring}},
                        std::move(work),
                        leaves});
    };
    for (PipelineShape const shape : shapes)
    {
        pipelines.push_back(make(shape));
        auto const& pipeline = *pipelines.back();
        add(
            fmt::format("overlap: {} reorder streams, {} chunks, ring {}", shape.reorder_streams,
                        shape.chunks, shape.ring),
            shape, [&pipeline](cudaStream_t s) { pipeline.queue(s); }, ShocRow::Leaves::forces);
    }
    auto const& serial = *pipelines.front();
    add(
        "overlap: reorder alone", shapes[0],
        [&serial](cudaStream_t s) { serial.queue_reorders(s); }, ShocRow::Leaves::nothing);
    add(
        "overlap: force alone", shapes[0], [&serial](cudaStream_t s) { serial.queue_forces(s); },
        ShocRow::Leaves::forces);
    auto const timings = problem.measure(rows, LaunchMode::graph);
    remark_hidden(problem, rows, timings);
}

template <class T>
void measure_problem(BenchReport& report, BenchOptions const& options, std::int64_t count,
                     AtomOrder order)
{
    using Slot = std::conditional_t<sizeof(T) == 4, PackedSlot, DoubleSlot>;
    constexpr T cutoff_sq = T(shoc_cutoff_sq);
    ShocCase<T> const problem(report, options, count, order);
    std::vector<ShocRow> baselines{problem.shoc_row()};
    if (sizeof(T) == 4)
    {
        baselines.push_back(problem.shoc_row(cuda::ShocDivision::approximate));
    }
    problem.measure(baselines, LaunchMode::stream);
    double const baseline = problem.measure({problem.shoc_row()}, LaunchMode::graph).front().median;
    std::vector<RowOrder> row_orders{RowOrder::natural};
    if (order == AtomOrder::random)
    {
        row_orders.push_back(RowOrder::sorted);
    }
    for (RowOrder const row_order : row_orders)
    {
        Lists<T> const lists(problem, row_order);
        measure_gathers(problem, lists);
        measure_tiles(problem, lists);
        if (row_order == RowOrder::natural)
        {
            measure_chunks<T, Slot>(problem, lists, ShocListLayout::column_major, cutoff_sq);
            measure_chunks<T, Slot>(problem, lists, ShocListLayout::tiled,
                                    std::numeric_limits<T>::infinity());
        }
        std::size_t const best =
            measure_chunks<T, Slot>(problem, lists, ShocListLayout::tiled, cutoff_sq);
        if constexpr (sizeof(T) == 4)
        {
            measure_chunks<T, FloatSlot>(problem, lists, ShocListLayout::tiled, cutoff_sq);
        }
        if (problem.problem().count() * shoc_neighbors * Slot::bytes > second_level_cache_bytes())
        {
            measure_residence<T, Slot>(
                problem, ReorderInput<T>{lists.view(best), {ShocListLayout::tiled, cutoff_sq}},
                baseline);
        }
        measure_overlap<T, Slot>(
            problem, ReorderInput<T>{lists.view(best), {ShocListLayout::tiled, cutoff_sq}},
            row_order == RowOrder::sorted ? "sorted" : "natural");
    }
}

}  // namespace

int bench_shoc(BenchOptions const& options)
{
    auto counts = options.counts;
    if (counts.empty())
    {
        counts = {12288, 24576, 36864, 73728};
    }
    BenchReport report("shoc", describe_device());
    for (std::int64_t const count : counts)
    {
        for (AtomOrder const order : {AtomOrder::random, AtomOrder::sorted})
        {
            if (options.precision != BenchPrecision::double_)
            {
                measure_problem<float>(report, options, count, order);
            }
            if (options.precision != BenchPrecision::single)
            {
                measure_problem<double>(report, options, count, order);
            }
        }
        // After each size: a run cut short still leaves what it measured.
        report.write(options.json);
    }
    return 0;
}

}  // namespace tessera
