#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <variant>
#include <vector>

#include "engine/devices.hpp"
#include "engine/start/initial.hpp"
#include "io/files/standard_streams.hpp"
#include "io/input/input.hpp"
#include "io/input/report.hpp"
#include "tools/run/paths.hpp"
#include "tools/run/start_state.hpp"
#include "tools/verb/input_options.hpp"
#include "tools/verb/verbs.hpp"

namespace tessera
{
namespace
{

/// Box and counts; a lattice or random start is not made for it.
InputSize size_of(Input& input)
{
    Config const& config = input.config;
    if (!std::holds_alternative<FileConfig>(config.system.start))
    {
        return {initial_box(config), initial_species_counts(config)};
    }
    State const state = make_start(input);
    InputSize size{state.box, std::vector<std::int64_t>(config.system.species.size())};
    for (std::int32_t const species : state.species)
    {
        ++size.particles_of_species[static_cast<std::size_t>(species)];
    }
    return size;
}

/// What is free just now is no part of what the input means: it goes where messages go.
void report_room(Config const& config, std::int64_t count, Box const& box)
{
    for (MemoryForecast const& forecast :
         forecast_run(config, count, box, StartMemory::to_be_taken))
    {
        if (forecast.room.bytes < std::numeric_limits<std::int64_t>::max())
        {
            say(fmt::format("on {} the run needs {:.1f} MB, and {:.1f} MB are {}", forecast.place,
                            1e-6 * static_cast<double>(forecast.needed),
                            1e-6 * static_cast<double>(forecast.room.bytes), forecast.room.bound));
        }
    }
}

int validate(InputOptions const& options)
{
    Input input = load_input(options.input, options.overrides);
    check_file_names(input.config);
    check_trajectory_name(input.config);
    InputSize const size = size_of(input);
    // What a run would refuse is refused here.
    std::int64_t const count = std::accumulate(size.particles_of_species.begin(),
                                               size.particles_of_species.end(), std::int64_t{0});
    require_machine(input.config, count, size.box, StartMemory::to_be_taken);
    fmt::print("{}{}", input.resolved, report_input(input.config, size));
    report_room(input.config, count, size.box);
    return 0;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code)
{
    auto const options = std::make_shared<InputOptions>();
    CLI::App* const verb = app.add_subcommand(
        "validate", "Check an input and print it resolved, with what it comes to; no step is run");
    options->add_to(*verb);
    verb->callback([options, &exit_code] { exit_code = validate(*options); });
}

}  // namespace tessera
