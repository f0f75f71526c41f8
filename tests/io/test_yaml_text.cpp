#include <clocale>
#include <limits>
#include <random>

#include "io/yaml/document.hpp"
#include "io/yaml/nearest_name.hpp"
#include "io/yaml/scalars.hpp"
#include "tests/support/yaml_inputs.hpp"

using namespace tessera;
using Catch::Matchers::Contains;

TEST_CASE("duplicate keys are refused in block and flow maps")
{
    CHECK_THAT(faults(input("run: {steps: 20}\n")),
               Contains("in.yaml:5:1: the key 'run' is given twice") && Contains("line 4"));
    CHECK_THAT(faults(replace(input(), "{steps: 10}", "{steps: 10, \"steps\": 20}")),
               Contains("in.yaml:4:18: the key 'steps'") && Contains("line 4, column 7"));
}

TEST_CASE("numbers are read strictly")
{
    CHECK(parse_integer("1e6").value == 1000000);
    CHECK(parse_integer("1.5e1").value == 15);
    CHECK(parse_integer("1000e-3").value == 1);
    CHECK(parse_integer("-9223372036854775808").value == std::numeric_limits<std::int64_t>::min());
    CHECK(parse_integer("0e99999999999999999999").value == 0);
    CHECK(parse_unsigned("18446744073709551615").value == 18446744073709551615U);
    CHECK(parse_number("+.5").value == 0.5);
    CHECK(parse_number("0.1").value == 0.1);
    for (char const* text : {"10.5",
                             "0010",
                             "1_000",
                             "0x10",
                             ".nan",
                             ".inf",
                             "-.inf",
                             "nan",
                             "inf",
                             "1e",
                             "e5",
                             "1,5",
                             "1e19",
                             "9223372036854775808",
                             "1e-1",
                             "1e99999999999999999999",
                             "",
                             "-",
                             "+-1",
                             "1 2",
                             "0b1",
                             "0o7",
                             "1e400000000",
                             "12a"})
    {
        INFO(text);
        CHECK_FALSE(parse_integer(text).value);
        CHECK_FALSE(parse_integer(text).fault.empty());
    }
    for (char const* text : {"1e309", "-1e309", "1e-400", "00.5", "0x1p3", ".", "1_0.0", ".inf",
                             ".NaN", "infinity", "1.2.3", "1e5.5", "1d3"})
    {
        INFO(text);
        CHECK_FALSE(parse_number(text).value);
    }
    CHECK_FALSE(parse_unsigned("18446744073709551616").value);
    CHECK_FALSE(parse_unsigned("-1").value);
    CHECK_THAT(faults(input(), {"run.steps=10.5"}),
               Contains("--set run.steps=10.5: run.steps: '10.5' is not a whole number"));
}

TEST_CASE("booleans and durations")
{
    CHECK(parse_boolean("true").value == true);
    CHECK(parse_boolean("false").value == false);
    for (char const* text : {"True", "yes", "No", "on", "1", "y", "FALSE", ""})
    {
        CHECK_FALSE(parse_boolean(text).value);
    }
    CHECK(parse_duration("90").value == 90.0);
    CHECK(parse_duration("30s").value == 30.0);
    CHECK(parse_duration("15min").value == 900.0);
    CHECK(parse_duration("1.5 h").value == 5400.0);
    CHECK(parse_duration("1d").value == 86400.0);
    for (char const* text : {"2m", "h", "1h30min", "two hours", "", "2hh", "0x1h"})
    {
        INFO(text);
        CHECK_FALSE(parse_duration(text).value);
    }
    CHECK_THAT(faults(input(), {"run.walltime=-2h"}), Contains("run.walltime"));
}

TEST_CASE("faults of the text have positions")
{
    CHECK_THAT(faults(input("device: 'cpu\n")),
               Contains("in.yaml:5:9: this quote is never closed"));
    CHECK_THAT(faults(input("device: \"c\xc3\xbcpu\\\"\n")), Contains("in.yaml:5:9: this quote"));
    CHECK_THAT(faults("# \xc3\xbc\xc3\xb6\n" + input("device: 'it''s cpu\n\n")),
               Contains("in.yaml:6:9: this quote"));
    CHECK_THAT(faults(input("---\na: 1\n")), Contains("in.yaml:5:1: a second document"));
    CHECK_THAT(faults(input("...\na: 1\n")), Contains("a second document"));
    CHECK_THAT(faults(input("device: &a [*a]\n")), Contains("in.yaml:5:13: this alias"));
    CHECK_THAT(faults(input("device: *a\n")), Contains("in.yaml:5:9:"));
    CHECK_THAT(faults(input("device: !!str cpu\n")), Contains("in.yaml:5:9: the tag"));
    CHECK_THAT(faults(input("output:\n\tthermo: {}\n")), Contains("in.yaml:6:"));
    CHECK_THAT(faults(input("output: {a: 1\n")), Contains("end of map flow not found"));
    CHECK_THAT(faults(input("? [a]\n: 1\n")), Contains("is not text"));
    CHECK_THAT(faults(input(std::string("a: \x01\n"))), Contains("in.yaml:5:4: a control"));
    CHECK_THAT(faults(input(std::string("a: \0b\n", 6))), Contains("0x00"));
    CHECK_THAT(faults(""), Contains("is empty"));
    CHECK_THAT(faults("# nothing\n"), Contains("is empty"));
    CHECK_THAT(faults(input("#" + std::string(max_input_bytes, 'x'))), Contains("at most 1048576"));
    CHECK_NOTHROW(parse_input("\xEF\xBB\xBF" + input(), "bom", {}));
    CHECK_NOTHROW(parse_input("%YAML 1.2\n---\n" + input(), "directive", {}));
}

TEST_CASE("aliases are followed and cannot blow up")
{
    std::string bomb = "a0: &a0 [x, x]\n";
    for (int level = 1; level < 60; ++level)
    {
        std::string const name = std::string("a").append(std::to_string(level));
        std::string const below = std::string("*a").append(std::to_string(level - 1));
        bomb.append(name).append(": &").append(name);
        bomb.append(" [").append(below).append(", ").append(below).append("]\n");
    }
    CHECK(lines(faults(input(bomb))) == 60);
    Config const config =
        parse_input(input("output:\n  thermo: {every: &n 7}\n  rdf: {file: r, every: *n}\n"), "in",
                    {"output.rdf.every=8"})
            .config;
    CHECK(config.output.thermo->every == 7);
    CHECK(config.output.rdf->every == 8);
    // An override of a shared map changes it in one place only.
    Config const shared =
        parse_input(input("output:\n  thermo: &m {file: a, every: 7}\n  rdf: *m\n"), "in",
                    {"output.rdf.every=8", "output.rdf.file=b"})
            .config;
    CHECK(shared.output.thermo->every == 7);
    CHECK(shared.output.rdf->every == 8);
}

TEST_CASE("a comma locale changes nothing")
{
    // Numbers never pass through the C locale; where a comma locale is installed this shows it.
    std::string const before = std::setlocale(LC_ALL, nullptr);
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    Input const read = parse_input(input(), "in.yaml", {});
    std::setlocale(LC_ALL, before.c_str());
    CHECK(read.config.system.temperature == 1.44);
    CHECK_THAT(read.resolved, Contains("density: 0.8442"));
}

TEST_CASE("the nearest name counts swaps as one letter")
{
    std::string_view const names[] = {"cutoff", "skin", "seed"};
    CHECK(nearest_name("ctuoff", names) == "cutoff");
    CHECK(nearest_name("sede", names) == "seed");
    CHECK(nearest_name("temperature", names).empty());
    CHECK(nearest_name("", names).empty());
}

TEST_CASE("mutated inputs are refused or read, and never crash or hang")
{
    std::string const text = input(
        "potential: {cutoff: 2.5, pairs: [{species: [A, A], epsilon: 1.0, sigma: 1.0}]}\n"
        "output: {thermo: {file: 'm.csv', every: &n 5}, rdf: {file: \"r\", every: *n}}\n"
        "device: cuda:1 # comment\n");
    std::string const alphabet = "{}[]:,'\"&*!|>-?#%@\n\t 019.e+xaA\\~\xc3";
    // mt19937 is the same everywhere; distributions are not, hence the remainders.
    std::mt19937 random(12345);
    int refused = 0;
    for (int round = 0; round < 1500; ++round)
    {
        std::string mutated = text;
        for (std::uint32_t change = random() % 4; change < 4; ++change)
        {
            std::size_t const at = random() % mutated.size();
            char const letter = alphabet[random() % alphabet.size()];
            switch (random() % 4)
            {
                case 0:
                    mutated[at] = letter;
                    break;
                case 1:
                    mutated.insert(at, 1, letter);
                    break;
                case 2:
                    mutated.erase(at, 1 + random() % 3);
                    break;
                default:
                    mutated.insert(at, mutated.substr(random() % mutated.size(), 12));
            }
        }
        try
        {
            Input const read = parse_input(mutated, "mutated", {});
            CHECK(parse_input(read.resolved, "resolved", {}).resolved == read.resolved);
        }
        catch (ConfigError const& error)
        {
            refused += std::string(error.what()).empty() ? 0 : 1;
        }
    }
    CHECK(refused > 500);
    CHECK(refused < 1500);
    for (char const* part : {"[", "{", "- ", "? ", "&a ", "a: {", "'", "\"", "!", "|\n", "*a "})
    {
        std::string deep;
        while (deep.size() < 20000)
        {
            deep += part;
        }
        CHECK_FALSE(faults(deep).empty());
    }
}
