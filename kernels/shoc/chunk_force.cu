#include "kernels/shoc/chunk_force.cuh"
#include "kernels/shoc/position.cuh"
#include "kernels/shoc/shoc.hpp"

namespace tessera::cuda
{
namespace
{

/// Stores forces in the atoms' own order.
template <class T>
struct StoreInOrder
{
    Vec3<T>* force;
    std::int32_t const* order;

    __device__ __forceinline__ void operator()(std::int64_t place, Vec3<T> sum) const
    {
        force[atom_at(order, place)] = sum;
    }
};

}  // namespace

template <class Slot>
void shoc_chunk_force(ChunkView<Slot> chunk, std::int32_t const* order,
                      ShocPair<typename Slot::Real> pair, float kept_share,
                      Vec3<typename Slot::Real>* force, StreamHandle stream)
{
    using T = typename Slot::Real;
    launch_consume_chunk(chunk,
                         ForceInGroups<T, ShocPair<T>, StoreInOrder<T>>{pair, {force, order}, {}},
                         stream, kept_share);
}

#define TESSERA_INSTANTIATE(Slot)                                                        \
    template void shoc_chunk_force<Slot>(ChunkView<Slot>, std::int32_t const*,           \
                                         ShocPair<Slot::Real>, float, Vec3<Slot::Real>*, \
                                         StreamHandle);
TESSERA_INSTANTIATE(PackedSlot)
TESSERA_INSTANTIATE(FloatSlot)
TESSERA_INSTANTIATE(DoubleSlot)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
