#pragma once
/// Runs of the CPU backend on tiny systems.

#include <memory>
#include <string>

#include "engine/cpu/backend.hpp"
#include "engine/state/state.hpp"

namespace tessera::test
{

inline void ignore(std::string const&)
{
}

/// One thread: the systems are tiny, and results do not depend on it.
inline std::unique_ptr<Backend> on_cpu(Config config)
{
    config.threads = 1;
    return make_cpu_backend(config, ignore);
}

inline State loaded_state(Config const& config, State const& state)
{
    auto const backend = on_cpu(config);
    backend->load(state);
    State result = state;
    backend->save(result);
    return result;
}

}  // namespace tessera::test
