#include "tools/bench/timing.hpp"

#include <fmt/core.h>

#include <fstream>

#include "engine/config/errors.hpp"

namespace tessera
{

std::vector<Timing> time_alternating(std::vector<DeviceWork> const& works, LaunchMode mode,
                                     int repeats, int batch, Stream const& stream)
{
    auto const iterate = [&](DeviceWork const& work, cudaStream_t s) {
        for (int iteration = 0; iteration < batch; ++iteration)
        {
            work(s);
        }
    };
    std::vector<Graph> graphs;
    if (mode == LaunchMode::graph)
    {
        for (DeviceWork const& work : works)
        {
            graphs.emplace_back(stream.get(), [&](cudaStream_t s) { iterate(work, s); });
        }
    }
    Event const start(EventTiming::enabled);
    Event const stop(EventTiming::enabled);
    std::vector<std::vector<double>> seconds(works.size());
    constexpr int warm_up = 3;
    for (int round = 0; round < warm_up + repeats; ++round)
    {
        for (std::size_t at = 0; at < works.size(); ++at)
        {
            start.record(stream.get());
            if (mode == LaunchMode::graph)
            {
                graphs[at].launch(stream.get());
            }
            else
            {
                iterate(works[at], stream.get());
            }
            stop.record(stream.get());
            stop.synchronize();
            if (round >= warm_up)
            {
                seconds[at].push_back(seconds_between(start, stop) / batch);
            }
        }
    }
    std::vector<Timing> timings;
    for (auto& samples : seconds)
    {
        timings.push_back(timing_of(std::move(samples)));
    }
    return timings;
}

nlohmann::ordered_json describe_device()
{
    int device = 0;
    cudaDeviceProp properties{};
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaGetDeviceProperties(&properties, device) != cudaSuccess)
    {
        throw ConfigError("this benchmark needs a GPU, and none was found; check nvidia-smi");
    }
    int driver = 0;
    int runtime = 0;
    cuda_check(cudaDriverGetVersion(&driver), "read the driver's version");
    cuda_check(cudaRuntimeGetVersion(&runtime), "read the runtime's version");
    auto const version = [](int v) {
        return fmt::format("{}.{}", v / 1000, v % 1000 / 10);
    };
    nlohmann::ordered_json description = describe_host();
    description["device"] = properties.name;
    description["multiprocessors"] = properties.multiProcessorCount;
    description["driver_cuda"] = version(driver);
    description["runtime_cuda"] = version(runtime);
    std::ifstream proc("/proc/driver/nvidia/version");
    std::string line;
    if (std::getline(proc, line))
    {
        description["driver"] = line;
    }
    return description;
}

std::int64_t second_level_cache_bytes()
{
    int device = 0;
    int bytes = 0;
    cuda_check(cudaGetDevice(&device), "read the current device");
    cuda_check(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device),
               "read the size of the second-level cache");
    return bytes;
}

}  // namespace tessera
