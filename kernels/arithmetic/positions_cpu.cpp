#include "kernels/arithmetic/positions.hpp"

namespace tessera::cpu
{

template <class P>
void encode(Vec3<double> const* position, std::int32_t const* species, std::int64_t count,
            PairSpace const& space, P* encoded)
{
    PairSpace const own = space;  // nothing that is stored can then be a part of it
#pragma omp parallel for schedule(static)
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        tessera::encode(position[particle], species[particle], own, encoded[particle]);
    }
}

#define TESSERA_INSTANTIATE(P)                                                      \
    template void encode<P>(Vec3<double> const*, std::int32_t const*, std::int64_t, \
                            PairSpace const&, P*);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cpu
