#include "tools/start_state.hpp"

#include <string>
#include <variant>

#include "engine/errors.hpp"
#include "engine/initial.hpp"
#include "io/start.hpp"

namespace tessera
{

State make_start(Config const& config)
{
    auto const* const file = std::get_if<FileConfig>(&config.system.start);
    if (file == nullptr)
    {
        return make_initial_state(config);
    }
    State state;
    try
    {
        state = read_start(*file, config.system);
    }
    catch (IoError const& error)
    {
        throw ConfigError(error.what());  // the input names a file that cannot be used
    }
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
