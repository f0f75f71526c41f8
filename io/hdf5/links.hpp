#pragma once
/// Groups and datasets by name, found through links inside the file alone: links to other files, of
/// user-defined kinds and to nothing are refused, and so are datasets whose data lie elsewhere
/// (external storage, virtual layout). Every function throws IoError.

#include <string>
#include <vector>

#include "io/hdf5/raii.hpp"

namespace tessera::hdf5
{

Handle create_group(Handle const& parent, std::string const& name);
Handle open_group(Handle const& parent, std::string const& name);
Handle open_dataset(Handle const& parent, std::string const& name);
/// Whether every link of the relative path `name` is there.
bool exists(Handle const& parent, std::string const& name);
bool is_group(Handle const& parent, std::string const& name);
/// Names of the links in a group, in alphabetical order. Whoever follows them goes one level down:
/// hard links may form circles.
std::vector<std::string> links(Handle const& group);
void hard_link(Handle const& from, std::string const& target, Handle const& parent,
               std::string const& name);

}  // namespace tessera::hdf5
