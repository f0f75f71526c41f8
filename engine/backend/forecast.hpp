#pragma once
/// The memory of a run, known before any of it is taken.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/config/machine.hpp"

namespace tessera
{

using ArrayBytes = std::vector<std::pair<std::string, std::int64_t>>;

/// Whether a run's start is in memory already, so that it need not be found room for.
enum class StartMemory
{
    to_be_taken,
    taken
};

inline constexpr char const* host_place = "the host";

/// What a run takes by array, where it takes it, and how much is there.
struct MemoryForecast
{
    std::string place;  ///< "the host", "cuda:0"
    ArrayBytes arrays;
    std::int64_t needed = 0;  ///< of arrays, but for chunks that can take turns in less
    MemoryRoom room;          ///< no limit where it is not known

    bool fits() const
    {
        return needed <= room.bytes;
    }
};

/// What the host needs wherever the run is computed: the state, unless it is there, and output.
MemoryForecast forecast_host(Config const& config, std::int64_t particle_count, StartMemory start);

/// Adds arrays to a forecast. Chunks that can take turns in less count for nothing.
enum class Chunks
{
    whole,
    take_turns
};
void add_arrays(MemoryForecast& forecast, ArrayBytes const& arrays, Chunks chunks);

/// Throws ConfigError if a place has less memory than the run needs, with what it needs by array
/// and what would need less.
void require_room(Config const& config, std::int64_t particle_count,
                  std::vector<MemoryForecast> const& forecasts);

/// Bytes of a State, with the list positions that it has once it was saved.
std::int64_t state_bytes(std::int64_t particle_count);

}  // namespace tessera
