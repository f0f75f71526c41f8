#pragma once
/// One SHOC problem under measurement: what every row of `bench shoc` shares.

#include <fmt/core.h>

#include <memory>
#include <string>
#include <vector>

#include "tools/bench/bench.hpp"
#include "tools/bench/shoc_device.hpp"
#include "tools/bench/timing.hpp"

namespace tessera
{

/// One row to be: what it is, the work to time, and whether the work leaves forces to check.
struct ShocRow
{
    std::string what;
    nlohmann::ordered_json details;
    DeviceWork work;
    enum class Leaves : std::uint8_t
    {
        forces,
        nothing
    } leaves = Leaves::forces;
};

template <class T>
class ShocCase
{
public:
    ShocCase(BenchReport& report, BenchOptions const& options, std::int64_t count, AtomOrder order)
        : report_(report),
          options_(options),
          order_name_(order == AtomOrder::random ? "random" : "sorted"),
          problem_(make_shoc_problem<T>(count, order)),
          reference_(shoc_reference(problem_)),
          atoms_(problem_, {}, stream_.get())
    {
        stream_.synchronize();
        report.heading(
            fmt::format("{} atoms in {} order, {}; {:.4f} of the listed pairs within the cutoff; "
                        "closest {:.4f}, farthest {:.2f}",
                        count, order_name_, precision(),
                        static_cast<double>(problem_.pairs_within) /
                            static_cast<double>(count * shoc_neighbors),
                        problem_.closest, problem_.farthest));
    }

    static char const* precision()
    {
        return sizeof(T) == 4 ? "single" : "double";
    }
    ShocProblem<T> const& problem() const
    {
        return problem_;
    }
    DeviceShoc<T> const& atoms() const
    {
        return atoms_;
    }
    Stream const& stream() const
    {
        return stream_;
    }

    /// SHOC's kernel, the first row of every measurement.
    ShocRow shoc_row(cuda::ShocDivision division = cuda::ShocDivision::ieee) const
    {
        bool const ieee = division == cuda::ShocDivision::ieee;
        return {ieee ? "shoc kernel" : "shoc kernel, approximate division",
                {{"path", "shoc"}, {"division", ieee ? "ieee" : "approximate"}},
                [this, division](cudaStream_t s) {
                    cuda::shoc_force(atoms_.view(), {}, division, atoms_.force(), s);
                },
                ShocRow::Leaves::forces};
    }

    /// Checks and times rows in turn and reports them against `baseline` [s]; 0: the first row.
    std::vector<Timing> measure(std::vector<ShocRow> const& rows, LaunchMode mode,
                                double baseline = 0.0) const
    {
        std::vector<DeviceWork> works;
        for (ShocRow const& row : rows)
        {
            works.push_back(row.work);
        }
        std::vector<ForceError> errors;
        for (ShocRow const& row : rows)
        {
            atoms_.poison(stream_);
            row.work(stream_.get());
            errors.push_back(row.leaves == ShocRow::Leaves::forces
                                 ? force_error(atoms_.forces(stream_), reference_)
                                 : ForceError{});
        }
        auto const timings =
            time_alternating(works, mode, options_.repeats, options_.batch, stream_);
        for (std::size_t at = 0; at < rows.size(); ++at)
        {
            report_row(rows[at], timings[at], baseline > 0.0 ? baseline : timings[0].median,
                       errors[at], mode);
        }
        return timings;
    }

    /// A line about rows already reported.
    void remark(std::string const& what, nlohmann::ordered_json details,
                std::string const& shown) const
    {
        details.update(common());
        report_.add(what, std::move(details), shown);
    }

private:
    nlohmann::ordered_json common() const
    {
        return {{"count", problem_.count()},
                {"order", order_name_},
                {"precision", precision()},
                {"closest", problem_.closest}};
    }

    void report_row(ShocRow const& row, Timing const& timing, double baseline,
                    ForceError const& error, LaunchMode mode) const
    {
        auto const entries = static_cast<double>(problem_.count() * shoc_neighbors);
        auto const count = static_cast<double>(problem_.count());
        double const flops = 8.0 * entries + 13.0 * static_cast<double>(problem_.pairs_within);
        double const bytes =
            3.0 * sizeof(T) * (1.0 + entries) + 3.0 * sizeof(T) * count + 4.0 * entries;
        nlohmann::ordered_json details = common();
        details.update(row.details);
        details["launch"] = mode == LaunchMode::graph ? "graph" : "stream";
        details["times_shoc"] = baseline / timing.median;
        std::string shown = fmt::format("{:>6.2f}x", baseline / timing.median);
        if (row.leaves == ShocRow::Leaves::forces)
        {
            details["gflops"] = 1e-9 * flops / timing.median;
            details["gbytes_per_second"] = 1e-9 * bytes / timing.median;
            details["error"] = {{"relative", error.relative},
                                {"median_atom", error.median},
                                {"largest_atom", error.largest}};
            shown += fmt::format(" {:>7.0f} GFLOPS {:>7.0f} GB/s  error {:.1e} median {:.1e}",
                                 1e-9 * flops / timing.median, 1e-9 * bytes / timing.median,
                                 error.relative, error.median);
        }
        report_.add(row.what, timing, std::move(details), shown);
    }

    BenchReport& report_;
    BenchOptions const& options_;
    char const* order_name_;
    ShocProblem<T> problem_;
    std::vector<Vec3<double>> reference_;
    Stream stream_;
    DeviceShoc<T> atoms_;
};

}  // namespace tessera
