#pragma once

#include <filesystem>
#include <functional>

namespace tessera::hdf5
{

/// Runs `read` on a file in a child process first, for files that no checksum vouches for: the HDF5
/// library can crash on damaged ones, or walk in circles.
///
/// The child ends after 10 s of processor time and 1 s more for each 64 MiB of file, and can take
/// 1 GiB of memory and 4 times the size of the file. Throws IoError if it crashes or meets a limit.
/// What `read` throws is not passed on: the caller reads after this, and meets it again. Where no
/// process can be made, nothing happens.
void probe(std::filesystem::path const& path, std::function<void()> const& read);

}  // namespace tessera::hdf5
