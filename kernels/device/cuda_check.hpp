#pragma once
/// The one check of a CUDA return code. Plain compilers read this header too, given the toolkit's
/// include path.

#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace tessera
{

/// A CUDA call failed, or a kernel launched before it did (exit code 1).
struct CudaError : std::runtime_error
{
    CudaError(cudaError_t failed, std::string const& message)
        : std::runtime_error(message), code(failed)
    {
    }
    cudaError_t code;
};

/// Throws CudaError unless `code` is success; `what` names the attempt: "allocate 12 bytes".
/// After each launch: cuda_check(cudaGetLastError(), "launch of x").
inline void cuda_check(cudaError_t code, char const* what,
                       std::source_location where = std::source_location::current())
{
    if (code == cudaSuccess)
    {
        return;
    }
    // The exception has it now: a caller that goes on must not find it at its next launch.
    cudaGetLastError();
    throw CudaError(code, std::string("CUDA: ") + what + ": " + cudaGetErrorName(code) + " (" +
                              cudaGetErrorString(code) + ") at " + where.file_name() + ":" +
                              std::to_string(where.line()));
}

}  // namespace tessera
