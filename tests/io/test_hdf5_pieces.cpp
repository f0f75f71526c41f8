#include <map>
#include <random>
#include <vector>

#include "io/hdf5/pieces.hpp"
#include "tests/support/support.hpp"

using namespace tessera::hdf5;

TEST_CASE("pieces that replace each other in part read as the bytes written last")
{
    std::mt19937 random(11);
    auto const pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    constexpr std::size_t file_size = 64;
    for (int round = 0; round < 200; ++round)
    {
        Pieces pieces;
        std::map<std::size_t, unsigned char> expected;  // byte by byte
        for (int change = 0; change < 12; ++change)
        {
            auto const first = static_cast<std::size_t>(pick(0, 50));
            auto const size = static_cast<std::size_t>(pick(1, 13));
            auto const value = static_cast<unsigned char>(pick(1, 255));
            bool const adds = pick(0, 3) > 0;
            if (adds)
            {
                std::vector<unsigned char> const bytes(size, value);
                pieces.put(first, H5FD_MEM_OHDR, bytes.data(), size);
            }
            else
            {
                pieces.drop(first, first + size);
            }
            for (std::size_t place = first; place < first + size; ++place)
            {
                expected.erase(place);
                if (adds)
                {
                    expected[place] = value;
                }
            }
        }
        std::size_t waiting = 0;
        for (auto const& [address, piece] : pieces.by_address())
        {
            waiting += piece.bytes.size();
        }
        REQUIRE(waiting == expected.size());  // no byte twice
        auto const first = static_cast<std::size_t>(pick(0, 30));
        auto const last = first + static_cast<std::size_t>(pick(1, 34));
        std::vector<unsigned char> found(file_size, 0);
        pieces.lay_over(first, found.data(), last - first);
        for (std::size_t place = first; place < first + file_size; ++place)
        {
            auto const byte = expected.find(place);
            bool const laid = place < last && byte != expected.end();
            REQUIRE(found[place - first] == (laid ? byte->second : 0));
        }
    }
}
