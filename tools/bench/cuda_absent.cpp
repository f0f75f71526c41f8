/// Built instead of the GPU benchmarks where there is no CUDA toolkit.

#include "engine/config/errors.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/transactions.hpp"

namespace tessera
{
namespace
{

[[noreturn]] void refuse(char const* name)
{
    throw ConfigError(std::string("bench ") + name +
                      " needs a GPU, and this tessera was built without CUDA; configure with "
                      "TESSERA_CUDA=ON where a CUDA toolkit is");
}

}  // namespace

int bench_shoc(BenchOptions const&)
{
    refuse("shoc");
}

int bench_copy(BenchOptions const&)
{
    refuse("copy");
}

int bench_reorder(BenchOptions const&)
{
    refuse("reorder");
}

bool launch_paths_once(ShocProblem<float> const&, std::vector<std::int32_t> const&)
{
    return false;
}

}  // namespace tessera
