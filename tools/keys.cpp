#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "io/files/standard_streams.hpp"
#include "io/input/keys.hpp"
#include "tools/verb/verbs.hpp"

namespace tessera
{

void add_keys(CLI::App& app, int& exit_code)
{
    auto const section = std::make_shared<std::string>();
    CLI::App* const verb =
        app.add_subcommand("keys", "Every key of an input: type, unit, range, default and meaning");
    verb->add_option("section", *section, "Only this section or key: output, output.rdf, run.dt");
    verb->callback([section, &exit_code] {
        print_out(key_reference(*section));
        exit_code = 0;
    });
}

}  // namespace tessera
