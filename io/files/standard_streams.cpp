#include "io/files/standard_streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "io/files/printable.hpp"
#include "io/files/progress.hpp"

namespace tessera
{

namespace
{

/// errno of the first write to stdout and to stderr that failed; 0: none.
int out_error = 0;
int err_error = 0;

bool print(std::FILE* stream, std::string_view text, int& error)
{
    if (error == 0)
    {
        errno = 0;
        bool const done = std::fwrite(text.data(), 1, text.size(), stream) == text.size() &&
                          std::fflush(stream) == 0;
        error = done ? 0 : (errno != 0 ? errno : EIO);
    }
    return error == 0;
}

/// What the standard library or a library of others printed is in the stream's own record.
void take_note(std::FILE* stream, int& error)
{
    errno = 0;
    bool const done = std::fflush(stream) == 0 && std::ferror(stream) == 0;
    if (!done && error == 0)
    {
        error = errno != 0 ? errno : EIO;
    }
}

std::string fault_of(char const* name, int error)
{
    return error == 0 ? ""
                      : fmt::format("{} failed ({}), so what was to be printed there is lost", name,
                                    std::generic_category().message(error));
}

}  // namespace

void open_standard_streams()
{
    for (int const descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
        {
            continue;
        }
        // The lowest number that is free is taken; opened the wrong way round, it refuses data.
        int const flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", flags) != descriptor && ::open("/", O_RDONLY) != descriptor)
        {
            std::_Exit(1);
        }
    }
}

bool print_out(std::string_view text)
{
    return print(stdout, text, out_error);
}

void say(std::string_view message)
{
    clear_progress_line();
    print(stderr, fmt::format("tessera: {}\n", printable_lines(message)), err_error);
}

std::string stream_fault()
{
    take_note(stdout, out_error);
    take_note(stderr, err_error);
    std::string const out = fault_of("standard output", out_error);
    std::string const err = fault_of("standard error", err_error);
    return out + (out.empty() || err.empty() ? "" : "; ") + err;
}

}  // namespace tessera
