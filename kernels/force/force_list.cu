#include "kernels/force/consume.cuh"

// f64 allowed: ::consume_kernel<: add cvt mov mul st: sums over a particle are in double

namespace tessera::cuda
{

TESSERA_INSTANTIATE_CONSUMERS(RowSource<FixedPosition>)
TESSERA_INSTANTIATE_CONSUMERS(RowSource<FloatPosition>)
TESSERA_INSTANTIATE_CONSUMERS(RowSource<DoublePosition>)
TESSERA_INSTANTIATE_CONSUMERS(ColumnSource<FixedPosition>)
TESSERA_INSTANTIATE_CONSUMERS(ColumnSource<FloatPosition>)
TESSERA_INSTANTIATE_CONSUMERS(ColumnSource<DoublePosition>)

}  // namespace tessera::cuda
