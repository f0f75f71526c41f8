/// A library to preload: it appends each call that changes a file to the file named by the
/// environment variable RECORD_WRITES, so that a test can rebuild the files as they were after each
/// call. That is every state that a kill can leave, if a write within a page counts as whole.
///
/// One record: kind char, offset and length (signed 64-bit), lengths of two texts (32-bit), the
/// texts, and for 'w' the bytes written. Kinds: 'w' write at offset; 't' set the length, also where
/// room was taken ahead; 'r' rename, 'l' link, 'u' unlink of paths.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

namespace
{

template <class Call>
Call* original(char const* name)
{
    return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

struct Head
{
    char kind[8];
    std::int64_t offset, length;
    std::int32_t first_size, second_size;
};

std::string path_of(int descriptor)
{
    char path[4096];
    std::string link = "/proc/self/fd/";
    link += std::to_string(descriptor);
    ssize_t const size = readlink(link.c_str(), path, sizeof path);
    return {path, size > 0 ? static_cast<std::size_t>(size) : 0};
}

std::string absolute(char const* path)
{
    char folder[4096];
    bool const done = path[0] == '/' || getcwd(folder, sizeof folder) == nullptr;
    return done ? path : std::string(folder) + "/" + path;
}

void record(char kind, std::int64_t offset, std::int64_t length, std::string const& first,
            std::string const& second = "", void const* bytes = nullptr)
{
    static std::mutex one_at_a_time;
    std::lock_guard const guard(one_at_a_time);
    static std::FILE* const out = std::fopen(std::getenv("RECORD_WRITES"), "ab");
    Head const head{{kind},
                    offset,
                    length,
                    static_cast<std::int32_t>(first.size()),
                    static_cast<std::int32_t>(second.size())};
    std::fwrite(&head, sizeof head, 1, out);
    std::fwrite(first.data(), 1, first.size(), out);
    std::fwrite(second.data(), 1, second.size(), out);
    if (bytes != nullptr)
    {
        std::fwrite(bytes, 1, static_cast<std::size_t>(length), out);
    }
    std::fflush(out);
}

ssize_t recorded_pwrite(char const* name, int file, void const* bytes, std::size_t size,
                        off_t offset)
{
    auto* const call = original<ssize_t(int, void const*, std::size_t, off_t)>(name);
    ssize_t const done = call(file, bytes, size, offset);
    if (done > 0)
    {
        record('w', offset, done, path_of(file), "", bytes);
    }
    return done;
}

int recorded_length(int result, int file)
{
    struct stat status
    {
    };
    if (result == 0 && fstat(file, &status) == 0)
    {
        record('t', status.st_size, 0, path_of(file));
    }
    return result;
}

}  // namespace

extern "C" {
ssize_t write(int file, void const* bytes, std::size_t size)
{
    auto* const call = original<ssize_t(int, void const*, std::size_t)>("write");
    ssize_t const done = call(file, bytes, size);
    struct stat status
    {
    };
    if (done > 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    {
        record('w', lseek(file, 0, SEEK_CUR) - done, done, path_of(file), "", bytes);
    }
    return done;
}
ssize_t pwrite(int file, void const* bytes, std::size_t size, off_t offset)
{
    return recorded_pwrite("pwrite", file, bytes, size, offset);
}
ssize_t pwrite64(int file, void const* bytes, std::size_t size, off_t offset)
{
    return recorded_pwrite("pwrite64", file, bytes, size, offset);
}
int ftruncate(int file, off_t size) noexcept
{
    return recorded_length(original<int(int, off_t)>("ftruncate")(file, size), file);
}
int ftruncate64(int file, off_t size) noexcept
{
    return recorded_length(original<int(int, off_t)>("ftruncate64")(file, size), file);
}
int truncate(char const* path, off_t size) noexcept
{
    int const result = original<int(char const*, off_t)>("truncate")(path, size);
    if (result == 0)
    {
        record('t', size, 0, absolute(path));
    }
    return result;
}
int truncate64(char const* path, off_t size) noexcept
{
    return truncate(path, size);
}
int fallocate(int file, int mode, off_t offset, off_t size)
{
    auto* const call = original<int(int, int, off_t, off_t)>("fallocate");
    return recorded_length(call(file, mode, offset, size), file);
}
int rename(char const* from, char const* to) noexcept
{
    int const result = original<int(char const*, char const*)>("rename")(from, to);
    if (result == 0)
    {
        record('r', 0, 0, absolute(from), absolute(to));
    }
    return result;
}
int link(char const* from, char const* to) noexcept
{
    int const result = original<int(char const*, char const*)>("link")(from, to);
    if (result == 0)
    {
        record('l', 0, 0, absolute(from), absolute(to));
    }
    return result;
}
int unlink(char const* path) noexcept
{
    int const result = original<int(char const*)>("unlink")(path);
    if (result == 0)
    {
        record('u', 0, 0, absolute(path));
    }
    return result;
}
}
