#pragma once
/// Included by tests of kernels: without a GPU the program says so and exits with 77, which ctest
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
    return count;
}();

}  // namespace
