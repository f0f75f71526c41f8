#pragma once
/// Timing device work by events.

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "tools/bench/report.hpp"

namespace tessera
{

/// Queues one iteration on a stream.
using DeviceWork = std::function<void(cudaStream_t)>;

enum class LaunchMode : std::uint8_t
{
    stream,  ///< each kernel launched by the host
    graph    ///< a sample's iterations captured as one graph
};

/// Seconds an iteration of each of `works`, which run in turn in each of `repeats` rounds after
/// three rounds of warm-up, `batch` iterations at a time.
std::vector<Timing> time_alternating(std::vector<DeviceWork> const& works, LaunchMode mode,
                                     int repeats, int batch, Stream const& stream);

/// Device, driver, runtime; throws ConfigError if there is no GPU.
nlohmann::ordered_json describe_device();

/// Bytes of the device's second-level cache.
std::int64_t second_level_cache_bytes();

}  // namespace tessera
