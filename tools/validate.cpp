#include "tools/validate.hpp"

#include <iostream>

#include "engine/initial.hpp"
#include "io/input_report.hpp"
#include "io/start.hpp"
#include "io/yaml.hpp"

namespace tessera
{
namespace
{

InputSize size_of_file(Config const& config, FileConfig const& file)
{
    State state = read_start(file, config.system);
    complete_file_state(state, config);
    std::string faults;
    for (Problem const& problem : check_box(config, state.box))
    {
        faults += faults.empty() ? "" : "\n";
        faults += problem.key + ": " + problem.message;
    }
    if (!faults.empty())
    {
        throw ConfigError(faults);
    }
    InputSize size{state.box, std::vector<std::int64_t>(config.system.species.size())};
    for (std::int32_t const species : state.species)
    {
        ++size.particles_of_species[static_cast<std::size_t>(species)];
    }
    return size;
}

}  // namespace

int validate(std::filesystem::path const& input_path, std::vector<std::string> const& overrides)
{
    Input const input = load_input(input_path, overrides);
    Config const& config = input.config;
    auto const* file = std::get_if<FileConfig>(&config.system.start);
    InputSize const size = file != nullptr
                               ? size_of_file(config, *file)
                               : InputSize{initial_box(config), initial_species_counts(config)};
    std::cout << input.resolved << report_input(config, size);
    return 0;
}

}  // namespace tessera
