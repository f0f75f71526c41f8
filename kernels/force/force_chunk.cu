#include "kernels/force/consume.cuh"

// f64 allowed: ::consume_kernel<: add cvt mov mul st: sums over a particle are in double

namespace tessera::cuda
{

TESSERA_INSTANTIATE_CONSUMERS(ChunkSource<PackedSlot>)
TESSERA_INSTANTIATE_CONSUMERS(ChunkSource<FloatSlot>)
TESSERA_INSTANTIATE_CONSUMERS(ChunkSource<DoubleSlot>)

}  // namespace tessera::cuda
