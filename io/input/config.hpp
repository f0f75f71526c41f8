#pragma once

#include "engine/config/config.hpp"
#include "io/yaml/document.hpp"

namespace tessera
{

/// Reads the tree into a config: types, names, missing and unknown keys. Ranges and cross-field
/// rules are the engine's check(). What is wrong goes to the document's faults, and the config
/// then keeps its default there.
Config read_config(YamlDocument& document);

}  // namespace tessera
