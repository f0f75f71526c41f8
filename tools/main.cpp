#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

#include "engine/errors.hpp"
#include "io/progress.hpp"
#include "tools/verbs.hpp"

namespace
{

void say(std::string const& message)
{
    tessera::clear_progress_line();
    std::fputs(fmt::format("tessera: {}\n", message).c_str(), stderr);
}

constexpr char const* out_of_memory =
    "out of memory: what was written so far is whole; run it with fewer particles, or where there "
    "is more memory (tessera validate says how much)";

/// Memory may also run out in a thread of a parallel loop, which no exception leaves.
[[noreturn]] void terminate()
{
    try
    {
        if (auto const error = std::current_exception())
        {
            std::rethrow_exception(error);
        }
    }
    catch (std::bad_alloc const&)
    {
        std::fputs("tessera: ", stderr);
        std::fputs(out_of_memory, stderr);
        std::fputs("\n", stderr);
        std::_Exit(1);
    }
    catch (...)
    {
    }
    std::abort();
}

}  // namespace

int main(int argc, char** argv)
{
    std::set_terminate(terminate);
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
    catch (std::bad_alloc const&)
    {
        say(out_of_memory);
        return 1;
    }
    catch (std::length_error const&)
    {
        say(out_of_memory);
        return 1;
    }
    catch (std::exception const& error)
    {
        say(error.what());
        return 1;
    }
    return exit_code;
}
