#pragma once
/// A file driver of HDF5 under which a file is valid at every instant, also to a reader who opens
/// it after a kill: metadata reach the file only in commit(), in an order of which every prefix is
/// a valid file. The library by itself writes an index before the nodes that it points to, or cuts
/// the file before its superblock says so.
///
/// While a file grows, data go straight to the file, into space that nothing on disk refers to yet
/// (or over the same bytes); commit() then writes
///     new metadata, superblock (end of file), index nodes from the roots down, object headers,
/// so that a row is in the index before the extents tell of it. While a file shrinks, data wait
/// too:
///     object headers, index nodes, data, superblock, and then the file is cut.
///
/// No piece of metadata crosses a page of 4096 bytes, and Linux finishes a page that it began to
/// write, so each write counts as whole. A crash of the machine is another matter: nothing is
/// synced before commit() returns. Two rules are the caller's: groups and links are made before the
/// file gets its name, and a file that shrank is closed before it grows, since the library gives
/// the freed space away while index nodes on disk may still show it.

#include "io/hdf5/raii.hpp"

namespace tessera::hdf5
{

enum class Change
{
    grows,
    shrinks
};

/// Makes files that are opened with these access properties ordered ones. A file that is opened to
/// be read and is shorter than `least_end` reads as if zeros followed it.
void use_ordered_driver(Handle const& access, Change change, std::uint64_t least_end = 0);

/// Whether such zeros have been read as data.
bool was_read_beyond_end(Handle const& file);

/// Flushes an ordered file and writes what waited. Throws IoError.
void commit(Handle const& file);

/// The descriptor that an ordered file is written through.
int descriptor_of(Handle const& file);

}  // namespace tessera::hdf5
