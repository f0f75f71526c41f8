#pragma once

#include <string>

#include "io/yaml/document.hpp"

namespace tessera
{

/// Applies "a.b=value" to the tree: the value is YAML, list elements are numbers (a.0.b) with the
/// number past the last one adding one, maps on the way are made, and null removes the key.
/// What is wrong with it is in the document's faults, at the source "--set a.b=value".
void apply_override(YamlDocument& document, std::string const& assignment);

}  // namespace tessera
