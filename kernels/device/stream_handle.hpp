#pragma once

struct CUstream_st;

namespace tessera
{

/// A cudaStream_t, named without the toolkit's headers, so that any compiler reads a launcher's
/// declaration.
using StreamHandle = CUstream_st*;

}  // namespace tessera
