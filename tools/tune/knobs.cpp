#include "tools/tune/knobs.hpp"
#include "engine/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "io/yaml/enum_names.hpp"

namespace tessera
{
namespace
{

void add(Knob& knob, std::string name, Config config)
{
    std::vector<Problem> const problems = check(config);
    std::string fault =
        problems.empty() ? "" : problems.front().key + ": " + problems.front().message;
    knob.challengers.push_back({std::move(name), std::move(config), std::move(fault)});
}

std::string name_chunks(ReorderConfig const& reorder, DeviceType device)
{
    if (!reorder.chunk_particles)
    {
        return "auto";
    }
    return device == DeviceType::cuda
               ? fmt::format("{} in {} {}", *reorder.chunk_particles, reorder.streams,
                             reorder.streams == 1 ? "stream" : "streams")
               : fmt::format("{}", *reorder.chunk_particles);
}

/// Powers of two: on a GPU from everything in one chunk down to 16 chunks; on a CPU sizes that a
/// core's caches hold.
std::vector<std::int64_t> chunk_sizes(TuneSystem const& system)
{
    auto const all = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(system.particles, 32))));
    bool const cuda = system.device == DeviceType::cuda;
    std::int64_t const most = cuda ? all : std::min<std::int64_t>(all, 4096);
    std::int64_t const least = cuda ? std::max<std::int64_t>(all / 16, 32) : 128;
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = most; size >= least; size /= 2)
    {
        sizes.push_back(size);
    }
    return sizes;
}

}  // namespace

Knob path_knob(Config const& config)
{
    Knob knob{"path", std::string(name_of(config.force.path)), {}, ""};
    for (ForcePath const path : {ForcePath::reordered, ForcePath::gather, ForcePath::shoc})
    {
        if (path != config.force.path)
        {
            Config other = config;
            other.force.path = path;
            add(knob, std::string(name_of(path)), std::move(other));
        }
    }
    return knob;
}

Knob skin_knob(Config const& config)
{
    Knob knob{"skin", fmt::format("{}", config.neighbor.skin), {}, ""};
    for (double const skin : {0.15, 0.2, 0.3, 0.4, 0.5})
    {
        if (skin != config.neighbor.skin)
        {
            Config other = config;
            other.neighbor.skin = skin;
            add(knob, fmt::format("{}", skin), std::move(other));
        }
    }
    return knob;
}

Knob lanes_knob(Config const& config, TuneSystem const& system)
{
    std::string const present = config.force.lanes ? fmt::format("{}", *config.force.lanes)
                                                   : fmt::format("auto ({})", system.lanes);
    Knob knob{"lanes", present, {}, ""};
    if (system.device == DeviceType::cpu)
    {
        knob.fixed = "a CPU run has one thread a particle";
    }
    else if (config.force.path == ForcePath::shoc)
    {
        knob.fixed = "the path shoc has one thread a particle";
    }
    if (!knob.fixed.empty())
    {
        return knob;
    }
    for (int const lanes : {1, 2, 4, 8, 16})
    {
        if (lanes != config.force.lanes.value_or(system.lanes))
        {
            Config other = config;
            other.force.lanes = lanes;
            add(knob, fmt::format("{}", lanes), std::move(other));
        }
    }
    return knob;
}

Knob chunks_knob(Config const& config, TuneSystem const& system)
{
    Knob knob{"chunk_particles", name_chunks(config.reorder, system.device), {}, ""};
    if (config.force.path != ForcePath::reordered)
    {
        knob.fixed = fmt::format("the path {} has no chunks", name_of(config.force.path));
        return knob;
    }
    auto const try_it = [&](Config other) {
        std::string name = name_chunks(other.reorder, system.device);
        if (name != knob.present)
        {
            add(knob, std::move(name), std::move(other));
        }
    };
    Config other = config;
    other.reorder.chunk_particles.reset();
    try_it(other);
    for (std::int64_t const size : chunk_sizes(system))
    {
        other.reorder.chunk_particles = size;
        // One chunk has nothing to overlap with, and a CPU run no streams.
        bool const streams_matter = system.device == DeviceType::cuda && size < system.particles;
        for (int const streams : {1, 2, 4})
        {
            if (streams_matter || streams == 1)
            {
                other.reorder.streams =
                    system.device == DeviceType::cuda ? streams : config.reorder.streams;
                try_it(other);
            }
        }
    }
    return knob;
}

std::vector<Knob> tune_knobs(Config const& config, TuneSystem const& system)
{
    return {path_knob(config), skin_knob(config), lanes_knob(config, system),
            chunks_knob(config, system)};
}

}  // namespace tessera
