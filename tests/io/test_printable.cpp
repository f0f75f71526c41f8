#include <string>

#include "io/files/printable.hpp"
#include "tests/support/support.hpp"

using namespace tessera;

TEST_CASE("foreign text is shown as it is where a terminal takes it as text")
{
    CHECK(printable("").empty());
    CHECK(printable("Ar-36 a\\b 'c'") == "Ar-36 a\\b 'c'");
    CHECK(printable("\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82") ==
          "\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82");
}

TEST_CASE("what would steer a terminal, and what is no UTF-8, is escaped")
{
    CHECK(printable("\x1b[2Jx\r\n\t\x7f") == "\\x1b[2Jx\\x0d\\x0a\\x09\\x7f");
    CHECK(printable(std::string_view("a\0b", 3)) == "a\\x00b");
    CHECK(printable("\xc2\x9b"
                    "1m") == "\\u{9b}1m");
    CHECK(printable("\xe2\x80\xae"
                    "cba\xe2\x80\xa8") == "\\u{202e}cba\\u{2028}");
    // cut off, a stray second byte, overlong, a surrogate, above the last character, never a byte
    CHECK(printable("\xe2\x82") == "\\xe2\\x82");
    CHECK(printable("\x82z") == "\\x82z");
    CHECK(printable("\xc0\xaf\xe0\x80\xaf") == "\\xc0\\xaf\\xe0\\x80\\xaf");
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
    CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
    CHECK(printable("\xff\xfe") == "\\xff\\xfe");
}

TEST_CASE("long text is cut between characters, with its length")
{
    CHECK(printable(std::string(64, 'a')) == std::string(64, 'a'));
    CHECK(printable(std::string(1000000, 'a')) == std::string(64, 'a') + "... (1000000 bytes)");
    CHECK(printable("ab\xe2\x82\xac", 4) == "ab... (5 bytes)");
    CHECK(printable("abcd", 4) == "abcd");
}

TEST_CASE("a message keeps its lines")
{
    CHECK(printable_lines("a\nb\x1b\n") == "a\nb\\x1b\n");
    CHECK(printable_lines("x\n" + std::string(5000, 'y') + "\nz") ==
          "x\n" + std::string(4000, 'y') + "... (5000 bytes)\nz");
    CHECK(list_foreign_names({"a", "\x1b", "c"}) == "a, \\x1b, c");
    CHECK(list_foreign_names(std::vector<std::string>(300, "n")).size() < 100);
}
