#include "tools/bench/report.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <utility>

#include "tools/verb/json_file.hpp"

namespace tessera
{

Timing timing_of(std::vector<double> seconds)
{
    std::sort(seconds.begin(), seconds.end());
    return {seconds[seconds.size() / 2], seconds.front(), seconds.back()};
}

BenchReport::BenchReport(std::string benchmark, nlohmann::ordered_json machine, std::string margin)
    : margin_(std::move(margin))
{
    auto const now =
        std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
    document_["benchmark"] = std::move(benchmark);
    document_["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                    fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
    document_["machine"] = std::move(machine);
    document_["rows"] = nlohmann::ordered_json::array();
    fmt::print("{}{} {} {}\n", margin_, document_["benchmark"].get<std::string>(),
               document_["date"].get<std::string>(), document_["machine"].dump());
}

void BenchReport::heading(std::string const& text) const
{
    fmt::print("{0}\n{0}{1}\n", margin_, text);
}

void BenchReport::add(std::string const& what, Timing const& timing, nlohmann::ordered_json details,
                      std::string const& shown)
{
    nlohmann::ordered_json row;
    row["what"] = what;
    row["seconds"] = {{"median", timing.median}, {"least", timing.least}, {"most", timing.most}};
    row.update(details);
    document_["rows"].push_back(std::move(row));
    fmt::print("{}{:<46} {:>9.2f} us [{:.2f}, {:.2f}] {}\n", margin_, what, 1e6 * timing.median,
               1e6 * timing.least, 1e6 * timing.most, shown);
}

void BenchReport::add(std::string const& what, nlohmann::ordered_json details,
                      std::string const& shown)
{
    nlohmann::ordered_json row;
    row["what"] = what;
    row.update(details);
    document_["rows"].push_back(std::move(row));
    fmt::print("{}{:<46} {}\n", margin_, what, shown);
}

void BenchReport::note(std::string const& key, nlohmann::ordered_json value)
{
    document_[key] = std::move(value);
}

void BenchReport::write(std::filesystem::path const& file) const
{
    if (!file.empty())
    {
        write_json("--json", file, document_, 1);
    }
}

void check_report_way(std::filesystem::path const& file)
{
    check_json_way("--json", file, {"benchmark", "machine", "rows"}, false);
}

nlohmann::ordered_json describe_host()
{
    nlohmann::ordered_json host;
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string line;
    while (std::getline(cpuinfo, line))
    {
        if (line.starts_with("model name"))
        {
            host["processor"] = line.substr(line.find(':') + 2);
            break;
        }
    }
    host["threads"] = std::thread::hardware_concurrency();
    return host;
}

}  // namespace tessera
