#include <cstddef>
#include <numeric>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "kernels/device/copy.hpp"
#include "tests/support/need_gpu.hpp"
#include "tests/support/support.hpp"

using namespace tessera;

TEST_CASE("copies move every byte and no other, whatever begin and end")
{
    auto const width = GENERATE(CopyWidth::bytes_4, CopyWidth::bytes_8, CopyWidth::bytes_16,
                                CopyWidth::four_times_16);
    constexpr std::size_t room = 40000;
    Stream const stream;
    std::vector<std::byte> source(room);
    for (std::size_t at = 0; at < room; ++at)
    {
        source[at] = static_cast<std::byte>((at * 131 + at / 251) & 0xFF);
    }
    DeviceBuffer<std::byte> const d_source(std::span<std::byte const>(source), stream.get());
    DeviceBuffer<std::byte> const d_destination(room, stream.get());
    std::vector<std::byte> copied(room);
    for (std::size_t const bytes : {0, 1, 3, 15, 16, 17, 31, 64, 1000, 4096, 4099, 33333})
    {
        for (std::size_t const from : {0, 1, 2, 4, 8, 15, 16})
        {
            for (std::size_t const to : {0, 1, 6, 8, 12, 31})
            {
                d_destination.fill_bytes(0xAB, stream.get());
                cuda::copy(d_destination.data() + to, d_source.data() + from,
                           static_cast<std::int64_t>(bytes), width, stream.get());
                d_destination.download(copied, stream.get());
                stream.synchronize();
                std::vector<std::byte> expected(room, std::byte{0xAB});
                std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                            expected.begin() + static_cast<std::ptrdiff_t>(to));
                CAPTURE(bytes, from, to);
                REQUIRE(copied == expected);
            }
        }
    }
}
