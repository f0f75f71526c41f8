/// Threads that wait must sleep: a machine is shared, and where others use its cores a thread that
/// spins keeps away the one that it waits for.
///
/// libgomp reads how long to spin once, when it is initialised, before main(). It is linked from
/// its archive, so that this constructor, of a priority before its own, is in time; libomp asks
/// later still. A variable that the user has set is left as it is.

#include <cstdlib>

namespace
{

/// Some 40 us, between the loops of a step. Steps/s of two threads with libgomp's own 300 000, with
/// this and with 0 (two cores of an Intel Xeon, path gather on a Verlet list, medians, 2026):
///
///     4 000 particles, nothing else running      1931   1987   1824
///     32 000 particles, nothing else running      221    222    211
///     4 000 particles, ten busy processes a core   13    218    242   (one thread: 247)
constexpr char const* spin_count = "1000";

[[gnu::constructor(101)]] void let_waiting_threads_sleep()
{
    if (std::getenv("OMP_WAIT_POLICY") == nullptr && std::getenv("GOMP_SPINCOUNT") == nullptr)
    {
        setenv("OMP_WAIT_POLICY", "passive", 0);
        setenv("GOMP_SPINCOUNT", spin_count, 0);
    }
}

}  // namespace
