#include "tools/start_state.hpp"

#include <string>
#include <variant>

#include "engine/errors.hpp"
#include "engine/forecast.hpp"
#include "engine/initial.hpp"
#include "io/start.hpp"
#include "tools/input_fault.hpp"

namespace tessera
{
State make_start(Config const& config)
{
    auto const* const file = std::get_if<FileConfig>(&config.system.start);
    if (file == nullptr)
    {
        require_machine(config, initial_particle_count(config), initial_box(config),
                        StartMemory::to_be_taken);
        return make_initial_state(config);
    }
    State state = blame_input([&] { return read_start(*file, config.system); });
    complete_file_state(state, config);
    std::string faults;
    for (Problem const& problem : check_box(config, state.box))
    {
        faults += (faults.empty() ? "" : "\n") + file->path.string() + ": " + problem.key + ": " +
                  problem.message;
    }
    if (!faults.empty())
    {
        throw ConfigError(faults);
    }
    return state;
}

}  // namespace tessera
