/// In place of io/hdf5/probe.cpp: a child reads the file first, but what breaks in it is reported
/// by the sanitizers. tests/fuzz/run_targets.py tells from the report whose fault it was.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "engine/config/errors.hpp"
#include "io/hdf5/probe.hpp"

namespace tessera::hdf5
{

void probe(std::filesystem::path const&, std::function<void()> const& read)
{
    pid_t const child = ::fork();
    if (child < 0)
    {
        return;
    }
    if (child == 0)
    {
        rlimit const time{10, 10};
        setrlimit(RLIMIT_CPU, &time);
        try
        {
            read();
        }
        catch (IoError const&)
        {
            // met again by the caller; any other exception ends the child, and is reported
        }
        _exit(0);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    {
        throw IoError("the file is damaged: the HDF5 library fails on it.");
    }
}

}  // namespace tessera::hdf5
