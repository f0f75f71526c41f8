#include "io/table/thermo_log.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/files/progress.hpp"
#include "tests/support/known_frames.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

constexpr auto hide = ThermoLog::Table::hide;

std::vector<std::string> lines_of(std::filesystem::path const& path)
{
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

void write_rows(ThermoLog& log, std::int64_t first, std::int64_t last)
{
    for (std::int64_t frame = first; frame <= last; ++frame)
    {
        log.write(known_observables(frame));
    }
}

/// What a checkpoint after these rows would tell of the file.
RowDigest digest_of(std::int64_t rows)
{
    TemporaryDirectory const directory;
    ThermoLog log(directory / "t.csv", hide, false);
    write_rows(log, 0, rows - 1);
    return log.digest().value();
}

ThermoLog resumed(std::filesystem::path const& path, std::int64_t last_step)
{
    return ThermoLog::resume(path, hide, ThermoLog::check(path, {}, last_step, std::nullopt));
}

void append(std::filesystem::path const& path, std::string const& text)
{
    std::ofstream(path, std::ios::app) << text;
}

std::string refusal(std::filesystem::path const& path, std::optional<RowDigest> const& expected)
{
    return message_of<IoError>([&] { ThermoLog::check(path, {}, 30, expected); });
}

}  // namespace

TEST_CASE("thermo rows come in the documented columns and read back to the bit")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.csv";
    Observables observables = known_observables(1);
    observables.temperature = 0.1 + 0.2;
    observables.pressure = -1e-300;
    bool const tail = GENERATE(false, true);
    if (tail)
    {
        observables.tail = TailCorrection{-0.452012624764, -0.7621346985};
    }
    {
        ThermoLog log(path, hide, false);
        log.write(observables);
    }
    auto const lines = lines_of(path);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0] == std::string("step,time,temperature,pressure,potential_energy_per_particle,"
                                  "kinetic_energy_per_particle,total_energy_per_particle") +
                          (tail ? ",tail_energy_per_particle,tail_pressure" : ""));
    std::vector<double> values;
    std::istringstream row(lines[1]);
    for (std::string field; std::getline(row, field, ',');)
    {
        values.push_back(std::strtod(field.c_str(), nullptr));
    }
    std::vector<double> expected{10.0, 0.05, 0.1 + 0.2, -1e-300, -6.0, 1.5, -4.5};
    if (tail)
    {
        expected.insert(expected.end(), {-0.452012624764, -0.7621346985});
    }
    CHECK(values == expected);
}

TEST_CASE("a resumed thermo file is the file of an uninterrupted run")
{
    TemporaryDirectory const directory;
    {
        ThermoLog log(directory / "whole.csv", hide, false);
        write_rows(log, 0, 9);
    }
    auto const path = directory / "t.csv";
    std::int64_t const rows = GENERATE(0, 1, 6);
    {
        ThermoLog log(path, hide, false);
        write_rows(log, 0, rows - 1);
    }
    std::string const torn = GENERATE("", "70,0.35", "7");
    append(path, rows > 0 || torn.empty() ? torn : "step,ti");
    std::int64_t const checkpoint_step = GENERATE(0, 35, 50, 1000);
    {
        ThermoLog log = resumed(path, checkpoint_step);
        // a simulation goes on from its checkpoint, and repeats the row of its first step
        write_rows(log, std::min<std::int64_t>(rows, (checkpoint_step + 9) / 10), 9);
        write_rows(log, 9, 9);
    }
    CHECK(lines_of(path) == lines_of(directory / "whole.csv"));
}

TEST_CASE("a thermo file is not replaced unasked, nor continued with other columns")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.csv";
    {
        ThermoLog log(path, hide, false);
        write_rows(log, 0, 2);
    }
    CHECK(mentions(message_of<IoError>([&] { ThermoLog(path, hide, false); }), "overwrite"));
    CHECK(lines_of(path).size() == 4);
    {
        ThermoLog log = resumed(path, 20);
        Observables observables = known_observables(3);
        observables.tail.emplace();
        CHECK(mentions(message_of<IoError>([&] { log.write(observables); }), "columns"));
    }
    {
        ThermoLog log(path, hide, true);
        write_rows(log, 0, 0);
    }
    CHECK(lines_of(path).size() == 2);
    CHECK(mentions(message_of<IoError>([&] {
                       ThermoLog log("/dev/full", hide, true);
                       write_rows(log, 0, 0);
                   }),
                   "Free some space"));
}

TEST_CASE("a thermo file goes on only with the rows that the run has written")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.csv";
    {
        ThermoLog log(path, hide, false);
        write_rows(log, 0, 5);
    }
    auto const lines = lines_of(path);
    auto const rewrite = [&](std::vector<std::string> const& now) {
        std::ofstream file(path, std::ios::trunc);
        for (std::string const& line : now)
        {
            file << line << '\n';
        }
    };
    // steps 0 to 30 of the steps 0 to 50
    KeptRows const kept = ThermoLog::check(path, {}, 30, digest_of(4));
    CHECK(kept.digest == digest_of(4));
    CHECK(kept.last_step == 30);
    CHECK(mentions(refusal(path, digest_of(3)), "4 rows"));

    auto changed = lines;
    changed[2].back() = changed[2].back() == '1' ? '2' : '1';
    rewrite(changed);
    CHECK(mentions(refusal(path, digest_of(4)), "another run's"));
    rewrite({lines[0], lines[1], lines[3]});
    CHECK(mentions(refusal(path, digest_of(4)), "another run's"));
    rewrite({lines[0], lines[1], lines[3], lines[2]});
    CHECK(mentions(refusal(path, std::nullopt), "line 4"));
    rewrite({"r,g,pairs", lines[1]});
    CHECK(mentions(refusal(path, std::nullopt), "header"));
    for (char const* const foreign : {"a word", "40", "40,0.2,nan,1,1,1,1", "40,0.2,1,1,1,1",
                                      "40,0.2,1,1,1,1,1,1", " 40,0.2,1,1,1,1,1"})
    {
        rewrite({lines[0], lines[1], foreign});
        CHECK(mentions(refusal(path, std::nullopt), "line 3 is no row"));
    }
}

TEST_CASE("lines that somebody added to a thermo file are kept or refused, never lost")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.csv";
    {
        ThermoLog log(path, hide, false);
        write_rows(log, 0, 3);
    }
    append(path, "# a note\n\n");
    {
        ThermoLog log = ThermoLog::resume(path, hide, ThermoLog::check(path, {}, 30, digest_of(4)));
        write_rows(log, 4, 5);
        CHECK(log.digest() == digest_of(6));
    }
    auto const lines = lines_of(path);
    REQUIRE(lines.size() == 9);
    CHECK(lines[5] == "# a note");
    // behind the rows of steps 40 and 50, which are made again
    append(path, "# another\n");
    CHECK(mentions(refusal(path, digest_of(4)), "line 10"));
    CHECK(lines_of(path).size() == 10);
    append(path, "a torn word");
    CHECK(mentions(message_of<IoError>([&] { ThermoLog::check(path, {}, 50, std::nullopt); }),
                   "line 11"));
}

TEST_CASE("a thermo file that is taken away or cut is noticed with the next row")
{
    TemporaryDirectory const directory;
    auto const path = directory / "t.csv";
    ThermoLog log(path, hide, false);
    write_rows(log, 0, 2);
    SECTION("removed")
    {
        std::filesystem::remove(path);
        CHECK(mentions(message_of<IoError>([&] { write_rows(log, 3, 3); }), "removed"));
    }
    SECTION("replaced")
    {
        std::filesystem::rename(path, directory / "moved.csv");
        append(path, "mine");
        CHECK(mentions(message_of<IoError>([&] { write_rows(log, 3, 3); }), "took its name"));
        CHECK(lines_of(path) == std::vector<std::string>{"mine"});
    }
    SECTION("emptied")
    {
        std::filesystem::resize_file(path, 0);
        CHECK(mentions(message_of<IoError>([&] { write_rows(log, 3, 3); }), "cut"));
    }
    SECTION("at the end")
    {
        std::filesystem::remove(path);
        CHECK(mentions(message_of<IoError>([&] { log.close(); }), "removed"));
    }
}

TEST_CASE("columns of what not every run has are empty for a sample without it")
{
    Observables sample = known_observables(1);
    sample.tail.emplace();
    sample.pair_mean(PairObservable::coordination) = 12.0;
    auto const columns = thermo_columns(sample);
    CHECK(columns.size() == thermo_columns(known_observables(1)).size() + 3);
    CHECK(columns.back().value(sample) == 12.0);
    for (Column const& column : columns)
    {
        CHECK(column.value(sample).has_value());
        CHECK(column.value(known_observables(1)).has_value() == (column.present == nullptr));
    }
}

TEST_CASE("what a column shows is what setting it gave")
{
    double number = 1.0;
    Observables read;
    for (Column const& column : columns())
    {
        column.set(read, number += 1.5);
    }
    number = 1.0;
    for (Column const& column : columns())
    {
        CHECK(column.value(read) == (number += 1.5));
    }
}

TEST_CASE("heading and rows of the table line up")
{
    Observables observables = known_observables(123456);
    observables.tail.emplace();
    observables.pressure = -1.2345678e-15;
    std::string const heading = thermo_table_heading(observables);
    CHECK(heading.size() == thermo_table_row(observables).size());
    CHECK(mentions(heading, "potential/N"));
    CHECK(mentions(heading, "tail_E/N"));
}

TEST_CASE("progress shows the rates of this process and the time left")
{
    // 500 steps in 10 s, 999050 to go: 19981 s
    Progress const progress{1000, 1000050, 500, 10.0};
    CHECK(progress_text(progress, 4000) ==
          "step 1000 of 1000050, 50 steps/s, 2e+05 particle-steps/s, 5:33:01 left");
    CHECK(progress_text({7, 10, 0, 0.0}, 4000) == "step 7 of 10");
    CHECK(mentions(progress_text({0, 1000000000000, 1, 100.0}, 1), " left"));
}
