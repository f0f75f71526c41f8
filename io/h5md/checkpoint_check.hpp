#pragma once

#include "engine/simulation.hpp"

namespace tessera
{

/// Throws IoError, saying what is wrong, unless a run can go on from this: at least one particle,
/// arrays of equal length, ids ascending, species among those named, masses and edges finite and
/// above 0, everything finite, positions inside the box along periodic axes (list positions too)
/// and within 1e15 along open ones, image counts that can still change, a step and a time that can
/// still grow, and counts of g(r) that its samples can have made. Whoever wrote a checkpoint may
/// have given it a right checksum.
void require_sound(Checkpoint const& checkpoint);

}  // namespace tessera
