#include "engine/cuda/forces.hpp"

namespace tessera
{

template <class P, class Slot>
CudaForces<P, Slot>::CudaForces(Config const& config, Plan const& plan, CudaParticles& particles,
                                cudaStream_t stream, CudaStageClock& clock)
    : stream_(stream),
      clock_(clock),
      particles_(particles),
      tables_(config, stream),
      lists_(plan, stream, clock),
      chunks_(plan, config.reorder.streams, stream, clock)
{
}

template <class P, class Slot>
void CudaForces<P, Slot>::load(Config const& config)
{
    tables_ = CudaTables<Real>(config, stream_, copy_limit(particles_.box()));
}

template <class P, class Slot>
void CudaForces<P, Slot>::prepare(Layout const& layout)
{
    layout_ = layout;
    lists_.prepare(layout, particles_.box());
    if (layout.chunk_slots == 0)
    {
        chunks_.drop();
        return;
    }
    std::size_t free = 0;
    std::size_t total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "read the free device memory");
    chunks_.prepare(layout, static_cast<std::int64_t>(0.8 * static_cast<double>(free)));
}

template <class P, class Slot>
void CudaForces<P, Slot>::build_lists(ListPositions positions, cuda::StepGate const& gate)
{
    nvtx3::scoped_range const range("build lists");
    lists_.build(particles_, positions, gate);
    chunks_.invalidate();
}

template <class P, class Slot>
void CudaForces<P, Slot>::compute(cuda::StepGate const& gate, StreamUse overlap)
{
    nvtx3::scoped_range const range("forces");
    CudaStageClock::Interval const interval(clock_, CudaStage::all_forces);
    {
        CudaStageClock::Interval const pruning(clock_, CudaStage::reorder);
        lists_.prune(tables_, gate);
    }
    if (!layout_.on_chip || overlap == StreamUse::none)
    {
        for_each_source(gate, overlap, [&](auto const& source) {
            CudaStageClock::Interval const force(clock_, CudaStage::force);
            cuda::launch_forces(source, potential(Cut::own), particles_.view().force, gate,
                                stream_);
        });
    }
    // Also after a step whose stages were timed one by one: all steps round alike.
    if (layout_.on_chip)
    {
        compute_on_chip(gate);
    }
}

template <class P, class Slot>
void CudaForces<P, Slot>::compute_on_chip(cuda::StepGate const& gate)
{
    CudaStageClock::Span const span(clock_, ChunkSpan::Stage::both, 0, 0, stream_);
    with_positions([&]<class Q>(PositionView<Q> const& positions) {
        cuda::launch_row_forces<Q>(positions, lists_.outer(), tables_.acting_ranges(),
                                   potential(Cut::own), particles_.view().force, gate, stream_);
    });
    chunks_.count_on_chip();
}

template <class P, class Slot>
void CudaForces<P, Slot>::count_replay()
{
    if (layout_.path == ForcePath::reordered)
    {
        layout_.on_chip ? chunks_.count_on_chip() : chunks_.count_replay(source());
    }
}

template <class P, class Slot>
PotentialView<typename P::Real> CudaForces<P, Slot>::potential(Cut cut) const
{
    if (layout_.path == ForcePath::reordered)
    {
        return cut == Cut::sharp ? tables_.sharp_chunk_potential() : tables_.chunk_potential();
    }
    return cut == Cut::sharp ? tables_.sharp_list_potential() : tables_.list_potential();
}

template <class P, class Slot>
void const* CudaForces<P, Slot>::source() const
{
    return lists_.compacts() ? static_cast<void const*>(lists_.compact())
                             : static_cast<void const*>(lists_.encoded());
}

template <class P, class Slot>
void CudaForces<P, Slot>::fill(BackendReport& report) const
{
    report.path = layout_.path;
    report.lanes = layout_.lanes;
    report.cache = chunks_.counters();
    report.rebuilds += lists_.builds();
    lists_.append_bytes(report.bytes);
    if (chunks_.bytes() > 0)
    {
        report.bytes.emplace_back("chunks", chunks_.bytes());
    }
}

template class CudaForces<FixedPosition, PackedSlot>;
template class CudaForces<FixedPosition, FloatSlot>;
template class CudaForces<FloatPosition, PackedSlot>;
template class CudaForces<FloatPosition, FloatSlot>;
template class CudaForces<DoublePosition, DoubleSlot>;

}  // namespace tessera
