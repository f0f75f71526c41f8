#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tessera
{

/// An input and what the command line overrides of it: what every verb that reads one takes.
struct InputOptions
{
    std::string input;
    std::vector<std::string> overrides;

    void add_to(CLI::App& verb)
    {
        verb.add_option("input", input, "The input file")->required()->check(CLI::ExistingFile);
        verb.add_option("--set", overrides, "Override a key: --set run.steps=10")
            ->take_all()
            ->expected(1);
    }
};

}  // namespace tessera
