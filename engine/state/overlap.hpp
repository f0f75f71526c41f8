#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// Two distinct particles closer than the core of their pair.
struct Overlap
{
    std::int64_t first, second;  ///< indices in the state, first < second
    double distance, core;       ///< [sigma]
};

/// What a search for overlaps found.
struct OverlapSearch
{
    std::optional<Overlap> worst;  ///< the pair at the smallest part of its core, or close to it
                                   ///< where that part is below what cells can resolve
    std::int64_t tests = 0;        ///< distances that were computed
};

/// Searches all particles for overlaps, each pair by its own core; `pairs` [species][species] are
/// those of the config. Any number of particles may lie anywhere, also in one place: work grows
/// with their number, not with its square or the volume.
OverlapSearch find_overlaps(State const& state, std::vector<ResolvedPair> const& pairs);

}  // namespace tessera
