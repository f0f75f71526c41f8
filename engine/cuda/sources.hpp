#pragma once
/// Members of CudaBackend that its three sources share: the device, gates, where neighbors come
/// from.

#include <type_traits>

#include "engine/cuda/backend.hpp"
#include "kernels/reorder/reorder_cuda.hpp"

namespace tessera
{

template <class P, class Slot>
void CudaBackend<P, Slot>::select_device() const
{
    cuda_check(cudaSetDevice(config_.device.index), "select the device");
}

template <class P, class Slot>
cuda::StepGate CudaBackend<P, Slot>::gate(std::int64_t place) const
{
    std::uint32_t* const word = words_.data() + place;
    return {place > 0 ? word - 1 : nullptr, word, limit_stop_, faults_.data()};
}

template <class P, class Slot>
std::int64_t CudaBackend<P, Slot>::warps() const
{
    return slice_count(particles_.count(), lists_.lanes());
}

template <class P, class Slot>
PotentialView<typename P::Real> CudaBackend<P, Slot>::potential(bool sharp) const
{
    if (path_ == ForcePath::reordered)
    {
        return sharp ? tables_.sharp_chunk_potential() : tables_.chunk_potential();
    }
    return sharp ? tables_.sharp_list_potential() : tables_.list_potential();
}

template <class P, class Slot>
template <class Use>
void CudaBackend<P, Slot>::with_positions(Use const& use) const
{
    if constexpr (std::is_same_v<P, FixedPosition> && std::is_same_v<Slot, PackedSlot>)
    {
        if (lists_.compacts())
        {
            use(lists_.compact_positions());
            return;
        }
    }
    use(lists_.positions());
}

template <class P, class Slot>
void const* CudaBackend<P, Slot>::source() const
{
    return lists_.compacts() ? static_cast<void const*>(lists_.compact())
                             : static_cast<void const*>(lists_.encoded());
}

template <class P, class Slot>
template <class Use>
void CudaBackend<P, Slot>::for_each_source(cuda::StepGate const& step_gate, StreamUse overlap,
                                           Use const& use)
{
    switch (path_)
    {
        case ForcePath::gather:
            use(cuda::RowSource<P>{lists_.positions(), lists_.active_rows()});
            break;
        case ForcePath::shoc:
            use(cuda::ColumnSource<P>{lists_.positions(), lists_.columns()});
            break;
        case ForcePath::reordered:
        case ForcePath::automatic:
            chunks_.for_each(
                source(),
                [&](ChunkView<Slot> const& chunk, cudaStream_t stream) {
                    with_positions([&]<class Q>(PositionView<Q> const& positions) {
                        cuda::launch_reorder<Q, Slot>(positions, lists_.outer(),
                                                      tables_.cutoff_ranges(), chunk, step_gate,
                                                      stream);
                    });
                },
                overlap,
                [&](ChunkView<Slot> const& chunk) {
                    use(cuda::ChunkSource<Slot>{chunk, particles_.view().species});
                });
            break;
    }
}

/// The forms of positions and chunks that a run may have: each source instantiates its members.
#define TESSERA_FOR_EACH_CUDA_BACKEND(INSTANTIATE) \
    INSTANTIATE(FixedPosition, PackedSlot)         \
    INSTANTIATE(FixedPosition, FloatSlot)          \
    INSTANTIATE(FloatPosition, PackedSlot)         \
    INSTANTIATE(FloatPosition, FloatSlot)          \
    INSTANTIATE(DoublePosition, DoubleSlot)

}  // namespace tessera
