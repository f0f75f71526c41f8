/// A library to preload: one of the calls that change or read a file fails, or ends the process,
/// at a chosen count.
///
///   INJECT_FAULT   CALL:COUNT:ACTION[:REPEAT]
///   INJECT_FOLDER  only files below it are counted (a path without links)
///   INJECT_COUNTS  a file that gets "CALL NUMBER" lines when the process ends in order
///
/// CALL: open write pwrite fsync ftruncate fallocate rename link unlink close read, or any. ACTION:
/// an errno (ENOSPC EIO EINTR EDQUOT EMFILE EPERM EOPNOTSUPP EROFS EAGAIN), `short` (half of what
/// is asked is done), `kill` (SIGKILL before the call) or `stop` (SIGTERM before it). REPEAT:
/// `once` (the default), `on` (from there on) or `alternate` (every second one from there on).

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace
{

enum Call
{
    open_call,
    write_call,
    pwrite_call,
    fsync_call,
    ftruncate_call,
    fallocate_call,
    rename_call,
    link_call,
    unlink_call,
    close_call,
    read_call,
    call_count,
    any_call = call_count
};
constexpr char const* call_names[] = {"open",      "write",     "pwrite", "fsync",
                                      "ftruncate", "fallocate", "rename", "link",
                                      "unlink",    "close",     "read",   "any"};

enum class Repeat
{
    once,
    on,
    alternate
};

struct Fault
{
    int call = -1;
    long count = 0;
    std::string action;
    Repeat repeat = Repeat::once;
};

struct Reason
{
    char const* name;
    int code;
};
constexpr Reason reasons[] = {{"ENOSPC", ENOSPC},         {"EIO", EIO},       {"EINTR", EINTR},
                              {"EDQUOT", EDQUOT},         {"EMFILE", EMFILE}, {"EPERM", EPERM},
                              {"EOPNOTSUPP", EOPNOTSUPP}, {"EROFS", EROFS},   {"EAGAIN", EAGAIN}};

std::string text_of_environment(char const* name)
{
    char const* const text = std::getenv(name);
    return text != nullptr ? text : "";
}

Fault read_fault()
{
    Fault fault;
    std::string const text = text_of_environment("INJECT_FAULT");
    std::size_t const first = text.find(':');
    std::size_t const second = text.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
    {
        return fault;
    }
    std::string const name = text.substr(0, first);
    for (int call = 0; call <= any_call; ++call)
    {
        fault.call = name == call_names[call] ? call : fault.call;
    }
    fault.count = std::atol(text.c_str() + first + 1);
    std::size_t const third = std::min(text.find(':', second + 1), text.size());
    fault.action = text.substr(second + 1, third - second - 1);
    std::string const repeat = text.substr(std::min(third + 1, text.size()));
    fault.repeat =
        repeat == "on" ? Repeat::on : (repeat == "alternate" ? Repeat::alternate : Repeat::once);
    return fault;
}

std::atomic<long> counts[call_count + 1];

void write_counts()
{
    std::string const path = text_of_environment("INJECT_COUNTS");
    std::FILE* const out = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
    for (int call = 0; out != nullptr && call <= any_call; ++call)
    {
        std::fprintf(out, "%s %ld\n", call_names[call], counts[call].load());
    }
    if (out != nullptr)
    {
        std::fclose(out);
    }
}

template <class Function>
Function* original(char const* name)
{
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool counted(std::string const& path)
{
    // never destroyed: other libraries still make calls while a process ends
    static auto const& folder = *new std::string(text_of_environment("INJECT_FOLDER"));
    return !folder.empty() && path.compare(0, folder.size(), folder) == 0;
}

bool counted(int descriptor)
{
    char path[4096];
    std::string link = "/proc/self/fd/";
    link += std::to_string(descriptor);
    ssize_t const size = readlink(link.c_str(), path, sizeof path);
    return size > 0 && counted(std::string(path, static_cast<std::size_t>(size)));
}

bool counted(char const* path)
{
    char folder[4096];
    bool const whole = path[0] == '/' || getcwd(folder, sizeof folder) == nullptr;
    return counted(whole ? std::string(path) : std::string(folder) + "/" + path);
}

enum class Fate
{
    pass,
    fail,  ///< errno is set
    cut
};

/// Counts a call on a counted file, and says what becomes of it.
Fate fate_of(Call call)
{
    static auto const& fault = *new Fault(read_fault());
    [[maybe_unused]] static int const registered = std::atexit(write_counts);
    long const of_call = ++counts[call];
    long const of_any = ++counts[any_call];
    long const number = fault.call == any_call ? of_any : of_call;
    bool const hit =
        (fault.call == any_call || fault.call == call) &&
        (fault.repeat == Repeat::once ? number == fault.count : number >= fault.count) &&
        (fault.repeat != Repeat::alternate || (number - fault.count) % 2 == 0);
    if (!hit)
    {
        return Fate::pass;
    }
    if (fault.action == "kill" || fault.action == "stop")
    {
        kill(getpid(), fault.action == "kill" ? SIGKILL : SIGTERM);
        return Fate::pass;
    }
    if (fault.action == "short")
    {
        return Fate::cut;
    }
    for (auto const& [name, code] : reasons)
    {
        if (fault.action == name)
        {
            errno = code;
            return Fate::fail;
        }
    }
    return Fate::pass;
}

template <class Place>
Fate fate(Call call, Place place)
{
    int const before = errno;
    Fate const found = counted(place) ? fate_of(call) : Fate::pass;
    errno = found == Fate::fail ? errno : before;
    return found;
}

ssize_t positioned_write(char const* name, int file, void const* bytes, std::size_t size,
                         off_t offset)
{
    auto* const call = original<ssize_t(int, void const*, std::size_t, off_t)>(name);
    Fate const found = fate(pwrite_call, file);
    return found == Fate::fail
               ? -1
               : call(file, bytes, found == Fate::cut ? (size + 1) / 2 : size, offset);
}

int open_with_fate(char const* name, char const* path, int flags, mode_t mode)
{
    auto* const call = original<int(char const*, int, ...)>(name);
    return fate(open_call, path) == Fate::fail ? -1 : call(path, flags, mode);
}

mode_t mode_of(int flags, va_list arguments)
{
    return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {
int open(char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_with_fate("open", path, flags, mode);
}
int open64(char const* path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t const mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_with_fate("open64", path, flags, mode);
}
ssize_t write(int file, void const* bytes, std::size_t size)
{
    static auto* const call = original<ssize_t(int, void const*, std::size_t)>("write");
    Fate const found = fate(write_call, file);
    return found == Fate::fail ? -1 : call(file, bytes, found == Fate::cut ? (size + 1) / 2 : size);
}
ssize_t pwrite(int file, void const* bytes, std::size_t size, off_t offset)
{
    return positioned_write("pwrite", file, bytes, size, offset);
}
ssize_t pwrite64(int file, void const* bytes, std::size_t size, off_t offset)
{
    return positioned_write("pwrite64", file, bytes, size, offset);
}
ssize_t read(int file, void* bytes, std::size_t size)
{
    static auto* const call = original<ssize_t(int, void*, std::size_t)>("read");
    Fate const found = fate(read_call, file);
    return found == Fate::fail ? -1 : call(file, bytes, found == Fate::cut ? (size + 1) / 2 : size);
}
int fsync(int file)
{
    return fate(fsync_call, file) == Fate::fail ? -1 : original<int(int)>("fsync")(file);
}
int fdatasync(int file)
{
    return fate(fsync_call, file) == Fate::fail ? -1 : original<int(int)>("fdatasync")(file);
}
int ftruncate(int file, off_t size) noexcept
{
    return fate(ftruncate_call, file) == Fate::fail
               ? -1
               : original<int(int, off_t)>("ftruncate")(file, size);
}
int ftruncate64(int file, off_t size) noexcept
{
    return fate(ftruncate_call, file) == Fate::fail
               ? -1
               : original<int(int, off_t)>("ftruncate64")(file, size);
}
int truncate(char const* path, off_t size) noexcept
{
    return fate(ftruncate_call, path) == Fate::fail
               ? -1
               : original<int(char const*, off_t)>("truncate")(path, size);
}
int truncate64(char const* path, off_t size) noexcept
{
    return truncate(path, size);
}
int fallocate(int file, int mode, off_t offset, off_t size)
{
    return fate(fallocate_call, file) == Fate::fail
               ? -1
               : original<int(int, int, off_t, off_t)>("fallocate")(file, mode, offset, size);
}
int rename(char const* from, char const* to) noexcept
{
    return fate(rename_call, to) == Fate::fail
               ? -1
               : original<int(char const*, char const*)>("rename")(from, to);
}
int link(char const* from, char const* to) noexcept
{
    return fate(link_call, to) == Fate::fail
               ? -1
               : original<int(char const*, char const*)>("link")(from, to);
}
int unlink(char const* path) noexcept
{
    return fate(unlink_call, path) == Fate::fail ? -1 : original<int(char const*)>("unlink")(path);
}
int close(int file)
{
    if (fate(close_call, file) == Fate::fail)
    {
        int const reason = errno;
        original<int(int)>("close")(file);
        errno = reason;
        return -1;
    }
    return original<int(int)>("close")(file);
}
}
