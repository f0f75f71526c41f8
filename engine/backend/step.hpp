#pragma once

namespace tessera
{

/// One step of velocity Verlet, as every backend spells it.
template <class Stages>
void advance_one_step(Stages& stages)
{
    stages.kick_and_drift();    // half kick, drift, wrap; no chunk is valid any more
    stages.update_neighbors();  // the exact lists of the new positions
    stages.compute_forces();    // chunk by chunk: reorder if the cache has no valid one, consume
    stages.kick();              // the other half kick
}

}  // namespace tessera
