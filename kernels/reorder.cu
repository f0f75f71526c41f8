#include "kernels/reorder.cuh"

namespace tessera::cuda
{
namespace
{

template <class P, class Slot, Ranges ranges_kind>
__global__ void __launch_bounds__(reorder_block)
    reorder_kernel(PositionView<P> positions, RowListView candidates,
                   PairRanges<typename P::Real> ranges, RowTarget<Slot> target, StepGate gate)
{
    __shared__ typename SlotFormat<Slot>::Entry sm_queue[reorder_warps][queue_depth * slice_rows];
    if (!gate.open())
    {
        return;
    }
    ReorderPlace const place = reorder_place(target, candidates.lanes);
    if (place.slice < slice_count(target.particle_count, candidates.lanes))
    {
        reorder_slice<ranges_kind>(positions, candidates, ranges, target, place,
                                   sm_queue[threadIdx.x / 32], gate);
    }
}

template <class P, class Slot>
void launch(PositionView<P> const& positions, RowListView const& candidates,
            PairRanges<typename P::Real> const& ranges, RowTarget<Slot> const& target,
            StepGate const& gate, cudaStream_t stream)
{
    std::int64_t const slices = slice_count(target.particle_count, candidates.lanes);
    auto const blocks = static_cast<unsigned>((slices + reorder_warps - 1) / reorder_warps);
    if (ranges.table == nullptr)
    {
        reorder_kernel<P, Slot, Ranges::uniform>
            <<<blocks, reorder_block, 0, stream>>>(positions, candidates, ranges, target, gate);
    }
    else
    {
        reorder_kernel<P, Slot, Ranges::by_species>
            <<<blocks, reorder_block, 0, stream>>>(positions, candidates, ranges, target, gate);
    }
    cuda_check(cudaGetLastError(), "launch of reorder");
}

}  // namespace

template <class P, class Slot>
void launch_reorder(PositionView<P> const& positions, RowListView const& candidates,
                    PairRanges<typename P::Real> const& ranges, ChunkView<Slot> const& chunk,
                    StepGate const& gate, cudaStream_t stream)
{
    launch<P, Slot>(positions, candidates, ranges,
                    {chunk.data, chunk.slots, chunk.first_particle, chunk.particle_count,
                     chunk.capacity, chunk.scale},
                    gate, stream);
}

template <class P>
void launch_prune(PositionView<P> const& positions, RowListView const& candidates,
                  PairRanges<typename P::Real> const& ranges, RowListView const& list,
                  StepGate const& gate, cudaStream_t stream)
{
    launch<P, IndexSlot>(positions, candidates, ranges,
                         {reinterpret_cast<std::byte*>(list.neighbor),
                          list.slots,
                          0,
                          list.particle_count,
                          list.capacity,
                          {}},
                         gate, stream);
}

#define TESSERA_INSTANTIATE(P, Slot)                                                          \
    template void launch_reorder<P, Slot>(PositionView<P> const&, RowListView const&,         \
                                          PairRanges<P::Real> const&, ChunkView<Slot> const&, \
                                          StepGate const&, cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition, PackedSlot)
TESSERA_INSTANTIATE(CompactPosition, PackedSlot)
TESSERA_INSTANTIATE(FixedPosition, FloatSlot)
TESSERA_INSTANTIATE(FloatPosition, PackedSlot)
TESSERA_INSTANTIATE(FloatPosition, FloatSlot)
TESSERA_INSTANTIATE(DoublePosition, DoubleSlot)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(P)                                                                     \
    template void launch_prune<P>(PositionView<P> const&, RowListView const&,                      \
                                  PairRanges<P::Real> const&, RowListView const&, StepGate const&, \
                                  cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
