#include "kernels/reorder.cuh"

// f64 allowed: ::reorder_forces_kernel<: add cvt mov st: forces are summed in double

namespace tessera::cuda
{
namespace
{

template <class P, class Slot, class Consumer>
__global__ void __launch_bounds__(reorder_block)
    reorder_forces_kernel(__grid_constant__ PositionView<P> const positions,
                          __grid_constant__ RowListView const candidates,
                          __grid_constant__ PairRanges<typename P::Real> const ranges,
                          __grid_constant__ ChunkSource<Slot> const source,
                          __grid_constant__ Consumer const consumer, StepGate gate)
{
    __shared__ typename SlotFormat<Slot>::Entry sm_queue[reorder_warps][queue_depth * slice_rows];
    if (!gate.open())
    {
        return;
    }
    ChunkView<Slot> const& chunk = source.chunk;
    RowTarget<Slot> const target{chunk.data,           chunk.slots,    chunk.first_particle,
                                 chunk.particle_count, chunk.capacity, chunk.scale};
    ReorderPlace const place = reorder_place(target, candidates.lanes);
    if (place.slice >= slice_count(target.particle_count, candidates.lanes))
    {
        return;
    }
    int const slots = reorder_slice<Ranges::uniform>(positions, candidates, ranges, target, place,
                                                     sm_queue[threadIdx.x / 32], gate);
    // Every lane reads the row that it has stored itself: program order is all it needs.
    Reader<ChunkSource<Slot>, true> const reader(source, place.slice,
                                                 min(slots, chunk.capacity) / slot_group);
    consume_rows(reader, consumer, candidates.lanes);
}

}  // namespace

template <class P, class Slot>
void launch_reorder_and_forces(PositionView<P> const& positions, RowListView const& candidates,
                               PairRanges<typename P::Real> const& ranges,
                               ChunkSource<Slot> const& source,
                               PotentialView<typename Slot::Real> const& potential,
                               Vec3<double>* force, StepGate const& gate, cudaStream_t stream)
{
    using Real = typename Slot::Real;
    std::int64_t const slices = slice_count(source.chunk.particle_count, candidates.lanes);
    auto const blocks = static_cast<unsigned>((slices + reorder_warps - 1) / reorder_warps);
    auto const run = [&](auto const& functor) {
        reorder_forces_kernel<P, Slot><<<blocks, reorder_block, 0, stream>>>(
            positions, candidates, ranges, source,
            SumForces<std::decay_t<decltype(functor)>>{functor, force}, gate);
        cuda_check(cudaGetLastError(), "launch of reorder with forces");
    };
    if (potential.truncation == Truncation::force_shifted)
    {
        run(LennardJones<Real, Truncation::force_shifted>{potential.first});
    }
    else
    {
        run(LennardJones<Real, Truncation::sharp>{potential.first});
    }
}

#define TESSERA_INSTANTIATE(P, Slot)                                               \
    template void launch_reorder_and_forces<P, Slot>(                              \
        PositionView<P> const&, RowListView const&, PairRanges<P::Real> const&,    \
        ChunkSource<Slot> const&, PotentialView<Slot::Real> const&, Vec3<double>*, \
        StepGate const&, cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition, PackedSlot)
TESSERA_INSTANTIATE(CompactPosition, PackedSlot)
TESSERA_INSTANTIATE(FixedPosition, FloatSlot)
TESSERA_INSTANTIATE(FloatPosition, PackedSlot)
TESSERA_INSTANTIATE(FloatPosition, FloatSlot)
TESSERA_INSTANTIATE(DoublePosition, DoubleSlot)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
