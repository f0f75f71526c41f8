#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace tessera
{

/// One fault of the input: which key it is about ("neighbor.skin"), and what to say of it.
struct Problem
{
    std::string key;
    std::string message;
};

/// The input or the command line is wrong (exit code 2). what() is ready to print.
struct ConfigError : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// A file could not be read or written (exit code 1, or 2 for an input file).
struct IoError : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

/// The simulation itself went wrong while running (exit code 1).
struct RunError : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

}  // namespace tessera
