/// Start files that announce more than they hold, or hold what no reader should print.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

#include "engine/config/errors.hpp"
#include "io/start/start.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/support.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace tessera;

namespace
{

std::string const lattice = "Lattice=\"9 0 0 0 9 0 0 0 9\" ";
std::string const faces = "0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\n";

std::string complaint(std::string const& extension, std::string const& text)
{
    TemporaryDirectory const directory;
    auto const path = directory / ("s." + extension);
    std::ofstream(path, std::ios::binary) << text;
    std::string const message = message_of<IoError>([&] { read_start_file({path, {}}); });
    INFO(message.substr(0, 500));
    CHECK(message.size() < 500);
    CHECK(mentions(message, path.string()));
    CHECK(
        std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c != 0x7f; }));
    return message;
}

}  // namespace

TEST_CASE("counts are bounded by the file before memory is taken")
{
    CHECK(mentions(
        complaint("data", "t\n\n1 atoms\n2147483647 atom types\n" + faces + "Masses\n\n1 1.0\n"),
        "2147483647 atom types"));
    CHECK(mentions(complaint("data", "t\n\n1 atoms\n0 atom types\n" + faces), "0 atom types"));
    CHECK(mentions(complaint("data", "t\n\n9223372036854775807 atoms\n1 atom types\n" + faces +
                                         "Atoms\n\n1 1 0 0 0\n"),
                   "ends too early"));
    CHECK(mentions(complaint("xyz", "9223372036854775807\n" + lattice + "\nA 0 0 0\n"),
                   "ends too early"));
    CHECK(mentions(complaint("xyz", "10\n" + lattice + "\nA 0 0 0\n"), "ends too early"));
    // 2^31 + 4 columns, in few bytes each
    std::string wide;
    for (int property = 0; property < 2147484; ++property)
    {
        wide += "x:R:1000:";
    }
    CHECK(mentions(
        complaint("xyz", "1\n" + lattice + "Properties=" + wide + "species:S:1:pos:R:3\nA 1 1 1\n"),
        "more columns"));
}

TEST_CASE("names are counted as they come, and no more than a run has room for")
{
    std::string text = "200000\n" + lattice + "\n";
    for (int particle = 0; particle < 200000; ++particle)
    {
        text += 'S';
        text += std::to_string(particle);
        text += " 1 1 1\n";
    }
    auto const begin = std::chrono::steady_clock::now();
    CHECK(mentions(complaint("xyz", text), "room for 256"));
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - begin;
    CHECK(seconds.count() < 5.0);  // a comparison with each earlier name takes a minute
}

TEST_CASE("foreign text is shown escaped and cut")
{
    std::string const long_name(1000000, 'n');
    CHECK(mentions(complaint("xyz", "1\n" + lattice + "\n" + long_name + " 1 1 1\n"),
                   "(1000000 bytes)"));
    CHECK(mentions(complaint("xyz", "1\n" + lattice + "\n\x1b[2J 1 1 1\n"), "\\x1b[2J"));
    CHECK(mentions(complaint("xyz", "1\n" + lattice + "\n\xff 1 1 1\n"), "\\xff"));
    CHECK(mentions(complaint("xyz", "1\n" + lattice + "\nA 1 1 " + long_name + "\n"), "bytes"));
    CHECK(mentions(complaint("xyz", "\x1b]0;x\n"), "\\x1b"));
    CHECK(mentions(complaint("data", "t\n\n1 " + long_name + "\n"), "bytes"));
    CHECK(mentions(complaint("data", "t\n\n1 atoms\n1 atom types\n" + faces + "Q\x1b " + long_name),
                   "Q\\x1b"));
    CHECK(mentions(complaint("data", "t\n\n1 atoms\n1 atom types\n" + faces +
                                         "Atoms # \x1b[31m\n\n1 1 0 0 0\n"),
                   "\\x1b[31m"));
}

TEST_CASE("a key or property that is given twice is refused")
{
    CHECK(mentions(complaint("xyz", "1\n" + lattice + lattice + "\nA 1 1 1\n"), "twice"));
    CHECK(mentions(complaint("xyz", "1\n" + lattice +
                                        "Properties=species:S:1:pos:R:3:pos:R:3\nA 1 1 1 2 2 2\n"),
                   "twice"));
    CHECK(mentions(complaint("xyz", "2\n" + lattice +
                                        "Properties=species:S:1:pos:R:3:mass:R:1\n"
                                        "A 1 1 1 2\nA 2 2 2 3\n"),
                   "mass 3"));
    CHECK(mentions(complaint("xyz", "1\n" + lattice +
                                        "Properties=species:S:1:pos:R:3:charge:R:1\nA 1 1 1 2\n"),
                   "charge"));
}
