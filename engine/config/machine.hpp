#pragma once
/// What this process may take of the machine: processors and memory. A machine is shared, so the
/// scheduler's affinity, control groups of both versions, resource limits and OMP_ variables are
/// asked, not the hardware alone.
///
/// `root` is where the kernel's files /proc and /sys are; another folder in tests.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/config/config.hpp"

namespace tessera
{

/// Processors' worth of time that the control groups of this process allow; empty: no limit.
std::optional<double> processor_quota(std::filesystem::path const& root = "/");

/// Processors by affinity and quota, a part of one counted as one; at least 1.
int usable_processors(std::filesystem::path const& root = "/");

/// Threads of the outermost level in a value of OMP_NUM_THREADS such as "4,2"; empty if that is no
/// positive number.
std::optional<std::int64_t> outermost_threads(std::string_view omp_num_threads);

/// More threads than any run is given: 1024, or four a processor of a larger machine.
std::int64_t most_threads();

/// Threads of a CPU run that asks for `threads`; for 0 (auto) OMP_NUM_THREADS if it is set, else
/// usable_processors(). Never more than OMP_THREAD_LIMIT.
/// Throws ConfigError if those are too many, or more than can be started just now.
int thread_count(int threads);

/// Memory that can still be taken, and what bounds it.
struct MemoryRoom
{
    std::int64_t bytes = 0;
    std::string bound;  ///< "free on this machine"
};

/// The least of: memory free on the machine, what is left of the control groups' limits (page cache
/// counts as free), and of the limits on address space and data (ulimit -v, -d). Swap does not
/// count.
MemoryRoom memory_room(std::filesystem::path const& root = "/");

}  // namespace tessera
