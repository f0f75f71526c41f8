#include "io/hdf5/probe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <new>

#include "engine/config/errors.hpp"

namespace tessera::hdf5
{

namespace
{

constexpr int out_of_memory = 3;

std::uint64_t size_of(std::filesystem::path const& path)
{
    std::error_code error;
    auto const size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

/// Address space that this process has taken; sanitizers take 20 TB.
std::uint64_t address_space()
{
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void limit(std::uint64_t file_size)
{
    constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
    rlimit const none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    rlim_t const seconds = 10 + file_size / (64 * mebi);
    rlimit const time{seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &time);
    if (std::uint64_t const taken = address_space(); taken > 0)
    {
        rlim_t const bytes = taken + 1024 * mebi + 4 * file_size;
        rlimit const memory{bytes, bytes};
        setrlimit(RLIMIT_AS, &memory);
    }
}

/// What the child does; it never returns, so that nothing of its parent is flushed or closed twice.
[[noreturn]] void read_and_leave(std::uint64_t file_size, std::function<void()> const& read)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int const signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGXCPU})
    {
        ::signal(signal, SIG_DFL);
    }
    // what a dying library says is nothing to the user
    int const nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0)
    {
        ::dup2(nowhere, STDERR_FILENO);
    }
    limit(file_size);
    try
    {
        read();
    }
    catch (std::bad_alloc const&)
    {
        _exit(out_of_memory);
    }
    catch (...)
    {
        // met again by the caller
    }
    _exit(0);
}

std::string ending_of(int status)
{
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    {
        return "reading it takes longer than its size allows";
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == out_of_memory)
    {
        return "reading it takes more memory than its size allows";
    }
    return "the HDF5 library fails on it";
}

}  // namespace

void probe(std::filesystem::path const& path, std::function<void()> const& read)
{
    std::uint64_t const file_size = size_of(path);
    pid_t const child = ::fork();
    if (child < 0)
    {
        return;
    }
    if (child == 0)
    {
        read_and_leave(file_size, read);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    {
        throw IoError(fmt::format("the file is damaged: {}.", ending_of(status)));
    }
}

}  // namespace tessera::hdf5
