#include "kernels/consume.cuh"

namespace tessera::cuda
{

TESSERA_INSTANTIATE_CONSUMERS(ChunkSource<PackedSlot>)
TESSERA_INSTANTIATE_CONSUMERS(ChunkSource<FloatSlot>)
TESSERA_INSTANTIATE_CONSUMERS(ChunkSource<DoubleSlot>)

}  // namespace tessera::cuda
