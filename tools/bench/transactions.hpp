#pragma once

#include <cstdint>
#include <vector>

#include "tools/bench/shoc_problem.hpp"

namespace tessera
{

/// What the transactions benchmark counts, one kernel a row.
inline constexpr int transaction_lanes[] = {1, 2, 4, 8};

/// Launches, on a GPU, each kernel that the benchmark counts, once and in the order of its rows.
/// Returns false where there is no GPU. `order` may be empty.
bool launch_paths_once(ShocProblem<float> const& problem, std::vector<std::int32_t> const& order);

}  // namespace tessera
