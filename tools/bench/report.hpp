#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera
{

/// Seconds of several samples.
struct Timing
{
    double median = 0.0;
    double least = 0.0;
    double most = 0.0;
};

Timing timing_of(std::vector<double> seconds);

/// The rows of a benchmark: printed as a table, written as JSON.
///
/// JSON: {"benchmark", "date" (UTC), "machine": {...}, "rows": [{...}]}; times in seconds under
/// "seconds": {"median", "least", "most"}.
class BenchReport
{
public:
    /// `margin` is printed before each line of the table.
    BenchReport(std::string benchmark, nlohmann::ordered_json machine, std::string margin = "");

    /// Prints a line above the rows that follow.
    void heading(std::string const& text) const;
    /// Adds a row and prints it: what was timed, its times in microseconds, then `shown` as text.
    void add(std::string const& what, Timing const& timing, nlohmann::ordered_json details,
             std::string const& shown);
    /// Adds something beside the rows to the JSON; prints nothing.
    void note(std::string const& key, nlohmann::ordered_json value);
    /// Adds a row without times.
    void add(std::string const& what, nlohmann::ordered_json details, std::string const& shown);
    /// Writes the file, if a name is given. Throws IoError if that fails.
    void write(std::filesystem::path const& file) const;

private:
    std::string margin_;
    nlohmann::ordered_json document_;
};

/// Throws ConfigError if no report could be written there, or would replace another file than an
/// earlier report; to be known before anything is measured.
void check_report_way(std::filesystem::path const& file);

/// Processor, threads.
nlohmann::ordered_json describe_host();

}  // namespace tessera
