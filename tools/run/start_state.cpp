#include "tools/run/start_state.hpp"

#include <string>
#include <utility>

#include "engine/config/errors.hpp"
#include "engine/devices.hpp"
#include "engine/start/initial.hpp"
#include "io/files/standard_streams.hpp"

namespace tessera
{
State make_start(Input& input)
{
    for (std::string const& notice : input.notices)
    {
        say(notice);
    }
    if (!input.start)
    {
        require_machine(input.config, initial_particle_count(input.config),
                        initial_box(input.config), StartMemory::to_be_taken);
        return make_initial_state(input.config);
    }
    State state = std::move(input.start->state);
    complete_file_state(state, input.config);
    return state;
}

}  // namespace tessera
