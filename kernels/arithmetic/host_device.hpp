#pragma once
/// One spelling for arithmetic that plain compilers and nvcc both read.

#if defined(__CUDACC__)
#define TESSERA_HD __host__ __device__ __forceinline__
#else
#define TESSERA_HD inline __attribute__((always_inline))
#endif
