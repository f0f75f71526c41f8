#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/initial.hpp"
#include "io/input_report.hpp"
#include "io/yaml.hpp"
#include "tools/run_paths.hpp"
#include "tools/start_state.hpp"
#include "tools/verbs.hpp"

namespace tessera
{
namespace
{

struct ValidateOptions
{
    std::string input;
    std::vector<std::string> overrides;
};

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

int validate(ValidateOptions const& options)
{
    Input input = load_input(options.input, options.overrides);
    check_file_names(input.config);
    check_trajectory_name(input.config);
    InputSize const size = size_of(input);
    fmt::print("{}{}", input.resolved, report_input(input.config, size));
    return 0;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code)
{
    auto const options = std::make_shared<ValidateOptions>();
    CLI::App* const verb = app.add_subcommand(
        "validate", "Check an input and print it resolved, with what it comes to; no step is run");
    verb->add_option("input", options->input, "The input file")
        ->required()
        ->check(CLI::ExistingFile);
    verb->add_option("--set", options->overrides, "Override a key: --set run.steps=10")
        ->take_all()
        ->expected(1);
    verb->callback([options, &exit_code] { exit_code = validate(*options); });
}

}  // namespace tessera
