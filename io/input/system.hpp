#pragma once
/// The key `system`: where the particles come from, their species and velocities.

#include "engine/config/config.hpp"
#include "io/yaml/reader.hpp"

namespace tessera
{

/// `node` is the value of `system`. What is wrong goes to `faults`.
SystemConfig read_system(YamlPointer node, Faults& faults);

}  // namespace tessera
