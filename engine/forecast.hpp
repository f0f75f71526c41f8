#pragma once
/// The memory of a run, known before any of it is taken.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/config.hpp"
#include "engine/machine.hpp"

namespace tessera
{

using ArrayBytes = std::vector<std::pair<std::string, std::int64_t>>;

/// Whether a run's start is in memory already, so that it need not be found room for.
enum class StartMemory
{
    to_be_taken,
    taken
};

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

/// Forecasts of a run of `particle_count` particles in `box`: the host's, and that of the GPU if it
/// runs on one. Asks the machine and the device what they have.
std::vector<MemoryForecast> forecast_run(Config const& config, std::int64_t particle_count,
                                         Box const& box, StartMemory start);

/// Throws ConfigError if a place has less memory than the run needs, with what it needs by array
/// and what would need less.
void require_memory(Config const& config, std::int64_t particle_count, Box const& box,
                    StartMemory start);

/// The same, and as thread_count() if the run is on the CPU: what a run needs of the machine, to be
/// asked before anything is made.
void require_machine(Config const& config, std::int64_t particle_count, Box const& box,
                     StartMemory start);

/// Bytes of a State, with the list positions that it has once it was saved.
std::int64_t state_bytes(std::int64_t particle_count);

}  // namespace tessera
