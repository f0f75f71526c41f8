#pragma once
/// A resumed run is the same run: what of its input may be changed, and what may not.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.hpp"

namespace tessera
{

/// One key of the input whose value is another than before; empty: not there.
struct ChangedKey
{
    std::string key;  ///< dotted, list elements by number
    std::string before, now;
};

/// The keys, with all below them, that a resumed run may change: how long it is, where and how fast
/// it is computed, what it writes.
std::span<std::string_view const> changeable_keys();

/// What differs between two resolved inputs, in the order of the keys.
std::vector<ChangedKey> changed_keys(Config const& before, Config const& now);

/// Throws ConfigError naming every changed key that is none of the changeable ones.
void refuse_other_run(std::vector<ChangedKey> const& changes);

/// "step 20: run.steps: 20 -> 45", one a line: for the record.
std::string list_changes(std::vector<ChangedKey> const& changes, std::int64_t step);

}  // namespace tessera
