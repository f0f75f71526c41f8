#pragma once
/// Included by tests that only a GPU can run; what tests/support/device_runs.hpp makes is there then. Without a GPU the program says so and exits with 77, which ctest
/// reports as skipped.

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

namespace
{

int const gpus_found = [] {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0)
    {
        std::puts("skipped: no GPU");
        std::exit(77);
    }
    setenv("TESSERA_TEST_DEVICE", "cuda", 1);
    return count;
}();

}  // namespace
