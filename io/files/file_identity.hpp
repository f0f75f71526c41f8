#pragma once
/// Which file a path names, whatever it is called and wherever from.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera
{

/// The deepest folder or file on a path that is there, and what follows it, once `.`, `..` and
/// links are resolved. Two paths name one file if, and only if, these are equal: also through hard
/// links and folders that are mounted twice.
struct FileIdentity
{
    std::uint64_t device = 0, inode = 0;
    std::string rest;  ///< empty: the file is there

    bool operator==(FileIdentity const&) const = default;
};

FileIdentity identify(std::filesystem::path const& path);

/// The path without `.`, `..` and links, from the root; the file need not be there.
std::filesystem::path resolved(std::filesystem::path const& path);

/// Throws ConfigError, naming `key`, if no file can be meant: no name at all, or bytes in it that
/// no name of ours has, such as NUL (which would cut it) and line ends.
void check_name(std::string const& key, std::filesystem::path const& path);

/// The files that one command reads and writes. Each call throws ConfigError, naming both keys, if
/// the file is claimed already in a way that does not go with it.
class Claims
{
public:
    /// Several may read one file.
    void read(std::string key, std::filesystem::path const& path);
    /// A written file is nobody else's, except that it may be what `replaced` reads: a run that
    /// goes on replaces its checkpoint.
    void write(std::string key, std::filesystem::path const& path,
               std::string const& replaced = "");
    /// The same for a name made from that of output `origin`, such as the file before it: it may be
    /// a second link of that output's file, which a run killed while the one takes the other's
    /// place leaves behind.
    void write_beside(std::string const& origin, std::string key, std::filesystem::path const& path,
                      std::string const& replaced = "");

private:
    struct Claim
    {
        std::string key;
        std::filesystem::path path;  ///< free of links
        FileIdentity identity;
        bool written;
    };
    std::vector<Claim> claims_;
};

}  // namespace tessera
