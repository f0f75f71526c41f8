#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/files/standard_streams.hpp"
#include "io/yaml/nearest_name.hpp"
#include "tools/verb/verbs.hpp"

namespace
{

/// What cannot be printed makes a failure of a success; the other codes say more than that.
int checked(int exit_code)
{
    std::string const fault = tessera::stream_fault();
    if (!fault.empty())
    {
        tessera::say(fault);
        return exit_code == 0 ? 1 : exit_code;
    }
    return exit_code;
}

/// CLI11 takes an unknown verb for an argument too many, and would not name it.
bool refuse_unknown_verb(CLI::App const& app, int argc, char** argv)
{
    std::string_view const verb = argc > 1 ? argv[1] : "-";
    std::vector<CLI::App const*> const verbs = app.get_subcommands(nullptr);
    std::vector<std::string> names;
    for (CLI::App const* const known : verbs)
    {
        names.push_back(known->get_name());
    }
    if (verb.starts_with('-') || std::find(names.begin(), names.end(), verb) != names.end())
    {
        return false;
    }
    std::vector<std::string_view> const views(names.begin(), names.end());
    std::string_view const nearest = tessera::nearest_name(verb, views);
    std::string const guess = nearest.empty() ? "" : fmt::format("did you mean '{}'? ", nearest);
    tessera::say(
        fmt::format("there is no verb '{}'; {}The verbs are {}; tessera VERB --help tells "
                    "more",
                    verb, guess, tessera::list_names(views)));
    return true;
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

int run_verb(int argc, char** argv)
{
    int exit_code = 0;
    CLI::App app("Tessera: Lennard-Jones molecular dynamics in padded, reordered chunks");
    app.set_version_flag("--version", std::string("tessera ") + TESSERA_VERSION);
    app.require_subcommand(1);
    tessera::add_run(app, exit_code);
    tessera::add_resume(app, exit_code);
    tessera::add_validate(app, exit_code);
    tessera::add_keys(app, exit_code);
    tessera::add_info(app, exit_code);
    tessera::add_convert(app, exit_code);
    tessera::add_tune(app, exit_code);
    tessera::add_bench(app, exit_code);
    if (refuse_unknown_verb(app, argc, argv))
    {
        return 2;
    }
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
        tessera::say(error.what());
        return 2;
    }
    return exit_code;
}

}  // namespace

int main(int argc, char** argv)
{
    tessera::open_standard_streams();
    std::set_terminate(terminate);
    try
    {
        return checked(run_verb(argc, argv));
    }
    catch (std::bad_alloc const&)
    {
        tessera::say(out_of_memory);
    }
    catch (std::length_error const&)
    {
        tessera::say(out_of_memory);
    }
    catch (std::exception const& error)
    {
        tessera::say(error.what());
    }
    // A file that HDF5 failed to write is abandoned, not closed: at an ordinary end the library
    // would write to it again, or crash.
    (void)checked(1);
    std::_Exit(1);
}
