#pragma once
/// The key `system`: where the particles come from, their species and velocities.

#include "engine/config.hpp"
#include "io/yaml_reader.hpp"

namespace tessera
{

/// `node` is the value of `system`. What is wrong goes to `faults`.
SystemConfig read_system(YamlPointer node, Faults& faults);

}  // namespace tessera
