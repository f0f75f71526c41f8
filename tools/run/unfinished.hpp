#pragma once

#include "tools/run/launch.hpp"

namespace tessera
{

/// Whether a run whose checkpoint is of its last step ended before its files were whole: g(r) is
/// what a run writes last. Files that are not this run's, or cannot be read, are left alone.
bool lacks_rdf(Launch const& launch);

}  // namespace tessera
