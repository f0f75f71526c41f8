#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "engine/errors.hpp"
#include "tools/bench.hpp"

int main(int argc, char** argv)
{
    int exit_code = 0;
    CLI::App app("Tessera: Lennard-Jones molecular dynamics");
    app.require_subcommand(1);
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
        std::fprintf(stderr, "tessera: %s\n", error.what());
        return 2;
    }
    catch (std::exception const& error)
    {
        std::fprintf(stderr, "tessera: %s\n", error.what());
        return 1;
    }
    return exit_code;
}
