#include <fmt/core.h>

#include <random>

#include "kernels/device/copy.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/timing.hpp"

namespace tessera
{
namespace
{

struct NamedWidth
{
    char const* name;
    CopyWidth width;
};

constexpr NamedWidth widths[] = {{"4 bytes a thread", CopyWidth::bytes_4},
                                 {"8 bytes a thread", CopyWidth::bytes_8},
                                 {"16 bytes a thread", CopyWidth::bytes_16},
                                 {"4 x 16 bytes a thread", CopyWidth::four_times_16}};

/// Copies of one size by every width and by cudaMemcpy; bytes read and written are counted.
void measure_size(BenchReport& report, BenchOptions const& options, std::int64_t bytes,
                  std::vector<std::byte> const& pattern, Stream const& stream)
{
    auto const size = static_cast<std::size_t>(bytes);
    DeviceBuffer<std::byte> const source(size, stream.get());
    DeviceBuffer<std::byte> const destination(size, stream.get());
    for (std::size_t at = 0; at < size; at += pattern.size())
    {
        cuda_check(
            cudaMemcpyAsync(source.data() + at, pattern.data(), std::min(pattern.size(), size - at),
                            cudaMemcpyHostToDevice, stream.get()),
            "copy the pattern to the device");
    }
    std::vector<DeviceWork> works;
    std::vector<char const*> names;
    for (NamedWidth const& width : widths)
    {
        names.push_back(width.name);
        works.push_back([&, w = width.width](cudaStream_t s) {
            cuda::copy(destination.data(), source.data(), bytes, w, s);
        });
    }
    names.push_back("cudaMemcpy");
    works.push_back([&](cudaStream_t s) {
        cuda_check(
            cudaMemcpyAsync(destination.data(), source.data(), size, cudaMemcpyDeviceToDevice, s),
            "copy by the runtime");
    });

    std::vector<std::byte> copied(std::min(size, pattern.size()));
    std::vector<bool> exact;
    for (DeviceWork const& work : works)
    {
        destination.fill_bytes(0xAB, stream.get());
        work(stream.get());
        destination.download(copied, stream.get());
        stream.synchronize();
        exact.push_back(std::equal(copied.begin(), copied.end(), pattern.begin()));
    }
    auto const timings =
        time_alternating(works, LaunchMode::stream, options.repeats, options.batch, stream);
    for (std::size_t at = 0; at < works.size(); ++at)
    {
        double const rate = 2e-9 * static_cast<double>(bytes) / timings[at].median;
        report.add(
            fmt::format("{} MiB, {}", bytes >> 20, names[at]), timings[at],
            {{"bytes", bytes},
             {"width", names[at]},
             {"gbytes_per_second", rate},
             {"times_4_bytes", timings[0].median / timings[at].median},
             {"exact", static_cast<bool>(exact[at])}},
            fmt::format("{:>7.0f} GB/s {:>5.2f}x of 4 bytes, {}", rate,
                        timings[0].median / timings[at].median, exact[at] ? "exact" : "WRONG"));
    }
}

}  // namespace

int bench_copy(BenchOptions const& options)
{
    BenchReport report("copy", describe_device());
    Stream const stream;
    // Random bytes: memory moves constant data faster than real data.
    std::vector<std::byte> pattern(std::size_t{1} << 20);
    std::mt19937 random(7);
    for (std::byte& byte : pattern)
    {
        byte = static_cast<std::byte>(random() & 0xFFU);
    }
    report.heading("copies within device memory; bytes read and written are counted");
    for (int const mebibytes : {1, 4, 16, 64, 256, 1024})
    {
        measure_size(report, options, static_cast<std::int64_t>(mebibytes) << 20, pattern, stream);
    }
    report.write(options.json);
    return 0;
}

}  // namespace tessera
