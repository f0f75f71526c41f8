#pragma once
/// What `tessera tune` tries. No setting changes results beyond the order of sums: precision, chunk
/// format and neighbor.rebuild are the user's.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/config/config.hpp"

namespace tessera
{

/// What the choices depend on beside the input.
struct TuneSystem
{
    DeviceType device = DeviceType::cpu;  ///< cpu or cuda
    std::int64_t particles = 0;
    int lanes = 1;  ///< that the present setting runs with, where it says auto
};

struct Setting
{
    std::string name;
    Config config;
    std::string fault;  ///< not empty: why the input cannot have it
};

struct Knob
{
    std::string name;
    std::string present;               ///< the setting that `config` has
    std::vector<Setting> challengers;  ///< all others worth a try
    std::string fixed;                 ///< not empty: why there are none
};

Knob path_knob(Config const& config);
Knob skin_knob(Config const& config);
Knob lanes_knob(Config const& config, TuneSystem const& system);
/// Chunk sizes; on a GPU each with 1, 2 and 4 reorder streams.
Knob chunks_knob(Config const& config, TuneSystem const& system);

/// All of them in the order in which they are tuned.
std::vector<Knob> tune_knobs(Config const& config, TuneSystem const& system);

}  // namespace tessera
