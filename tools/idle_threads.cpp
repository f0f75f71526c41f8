/// Threads that wait must sleep: a machine is shared, and two spinning threads on two busy cores
/// keep each other from the work that both wait for.
///
/// libgomp reads how long to spin once, when it is initialised, before main(). It is linked from
/// its archive, so that this constructor, of a priority before its own, is in time; libomp asks
/// later still. An OpenMP variable of the user's is left as it is.

#include <cstdlib>

namespace
{

[[gnu::constructor(101)]] void let_waiting_threads_sleep()
{
    if (std::getenv("OMP_WAIT_POLICY") == nullptr && std::getenv("GOMP_SPINCOUNT") == nullptr)
    {
        setenv("OMP_WAIT_POLICY", "passive", 0);
    }
}

}  // namespace
