#pragma once

#include <filesystem>
#include <optional>

#include "engine/start/initial.hpp"
#include "engine/start/start_file.hpp"
#include "io/start/start.hpp"

namespace tessera
{

/// What an input says of its start beside the name of the file.
enum class InputSays
{
    species_and_boundary,
    nothing
};

/// The start that `path` makes under `system`, of which the input says `says`: settled, and with
/// velocities only where the file has them. What the file says is in `system` afterwards. Throws
/// ConfigError with the first contradiction.
inline State start_from(std::filesystem::path const& path, SystemConfig& system,
                        std::optional<std::int64_t> frame = {},
                        InputSays says = InputSays::species_and_boundary)
{
    Config config;
    config.system = system;
    config.system.start = FileConfig{path, frame};
    config.system.temperature = system.temperature.value_or(0.0);
    config.potential.pairs.clear();
    InputStatements said;
    if (says == InputSays::species_and_boundary)
    {
        said.species = said.boundary = true;
        said.masses.assign(system.species.size(), true);
    }
    StartFile file = read_start_file(std::get<FileConfig>(config.system.start));
    auto const problems = take_start_file(config, said, file);
    if (!problems.empty())
    {
        throw ConfigError(problems.front().key + ": " + problems.front().message);
    }
    settle_file_state(file.state);
    system = config.system;
    return std::move(file.state);
}

}  // namespace tessera
