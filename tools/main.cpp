#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "engine/errors.hpp"
#include "io/printable.hpp"
#include "io/progress.hpp"
#include "tools/verbs.hpp"

namespace
{

void say(std::string const& message)
{
    tessera::clear_progress_line();
    std::fputs(fmt::format("tessera: {}\n", tessera::printable_lines(message)).c_str(), stderr);
}

}  // namespace

int main(int argc, char** argv)
{
    int exit_code = 0;
    CLI::App app("Tessera: Lennard-Jones molecular dynamics in padded, reordered chunks");
    app.set_version_flag("--version", std::string("tessera ") + TESSERA_VERSION);
    app.require_subcommand(1);
    tessera::add_run(app, exit_code);
    tessera::add_resume(app, exit_code);
    tessera::add_validate(app, exit_code);
    tessera::add_info(app, exit_code);
    tessera::add_convert(app, exit_code);
    tessera::add_tune(app, exit_code);
    tessera::add_bench(app, exit_code);
    try
    {
        app.parse(argc, argv);
    }
    catch (CLI::ParseError const& error)
    {
        return app.exit(error) == 0 ? 0 : 2;
    }
    catch (tessera::ConfigError const& error)
    {
        say(error.what());
        return 2;
    }
    catch (std::exception const& error)
    {
        say(error.what());
        return 1;
    }
    return exit_code;
}
