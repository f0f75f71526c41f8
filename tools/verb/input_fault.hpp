#pragma once

#include "engine/config/errors.hpp"

namespace tessera
{

/// What `read` returns. A file that it cannot read was named by the input or the command line, so
/// its IoError becomes ConfigError (exit code 2).
template <class Read>
auto blame_input(Read const& read)
{
    try
    {
        return read();
    }
    catch (IoError const& error)
    {
        throw ConfigError(error.what());
    }
}

}  // namespace tessera
