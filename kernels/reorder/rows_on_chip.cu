#include "kernels/force/consume.cuh"
#include "kernels/reorder/reorder_cuda.hpp"
#include "kernels/reorder/shared_ring.cuh"

// f64 allowed: ::row_forces_kernel<: add cvt mov st: forces are summed in double

namespace tessera::cuda
{
namespace
{

constexpr int block = 128;
constexpr int block_warps = block / 32;

/// The rest is L1 for the gathers: at 1 000 188 particles 58 % took 179 us, 44 % 186, 72 % 196, and
/// what the driver chooses 212 (NVIDIA H200, 2026).
constexpr int shared_percent = 58;

template <class P, class Potential>
__global__ void __launch_bounds__(block)
    row_forces_kernel(__grid_constant__ PositionView<P> const positions,
                      __grid_constant__ RowListView const candidates,
                      __grid_constant__ PairRanges<typename P::Real> const ranges,
                      __grid_constant__ Potential const potential, Vec3<double>* force,
                      StepGate gate)
{
    using Real = typename P::Real;
    // What a term needs of a neighbor beside its displacement, in a word of its own size.
    using Species = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
    using Ring = SharedRing<Real, std::conditional_t<Potential::one_species, Real, Species>>;
    __shared__ typename Ring::Entry sm_rings[block_warps][Ring::depth * slice_rows];
    if (!gate.open())
    {
        return;
    }
    std::int64_t const slice =
        blockIdx.x * static_cast<std::int64_t>(block_warps) + threadIdx.x / 32;
    if (slice >= candidates.slices())
    {
        return;
    }
    RowPlace const place = place_in_slices(slice, 0, candidates.particle_count, candidates.lanes);
    P const own = positions.position[place.particle];
    int const groups = candidates.slots[slice] / slot_group;
    auto const* list = reinterpret_cast<int4 const*>(candidates.neighbor +
                                                     candidates.row_start(slice, threadIdx.x % 32));

    Ring ring(sm_rings[threadIdx.x / 32]);
    Vec3<double> sum{};
    auto const consume = [&](typename Ring::Entry const& entry) {
        Vec3<Real> const d{entry.x, entry.y, entry.z};
        if constexpr (Potential::one_species)
        {
            Force<Potential>::add_term(sum, potential.inside(entry.last, 0, 0), d);
        }
        else
        {
            Force<Potential>::add_term(sum,
                                       potential.inside(dot(d, d), static_cast<int>(own.species),
                                                        static_cast<int>(entry.last)),
                                       d);
        }
    };
    auto const range_to = [&](P const& other) {
        if constexpr (Potential::one_species)
        {
            return ranges.uniform_sq;
        }
        else
        {
            return ranges.range_sq(static_cast<int>(own.species), static_cast<int>(other.species));
        }
    };
    auto const particle = static_cast<std::int32_t>(place.particle);
    int4 next = groups > 0 ? __ldg(list) : int4{};
    int group = 0;
    auto const push_group = [&]<class MayPad>(MayPad) {
        P const others[slot_group] = {positions.position[next.x], positions.position[next.y],
                                      positions.position[next.z], positions.position[next.w]};
        std::int32_t const neighbors[slot_group] = {next.x, next.y, next.z, next.w};
        list += slice_rows;
        if (group + 1 < groups)
        {
            next = __ldg(list);
        }
#pragma unroll
        for (int k = 0; k < slot_group; ++k)
        {
            Vec3<Real> const d = displacement(own, others[k], positions.scale);
            Real const range = range_to(others[k]);
            // The row's own index is padding, and no distance is below a range of 0.
            Real const tested = MayPad::value && neighbors[k] == particle ? Real(0) : range;
            Real const r_sq = dot(d, d);
            if constexpr (Potential::one_species)
            {
                ring.push({d.x, d.y, d.z, r_sq}, r_sq, tested);
            }
            else
            {
                ring.push({d.x, d.y, d.z, static_cast<Species>(others[k].species)}, r_sq, tested);
            }
        }
        if (ring.is_due())
        {
            ring.take(consume);
        }
    };
    // Padding ends a row. Until some lane meets it no neighbor is told from it: indices that are
    // kept for that would hold back the gathers.
    for (; group < groups && __all_sync(all_lanes, next.w != particle); ++group)
    {
        push_group(std::false_type{});
    }
    for (; group < groups; ++group)
    {
        push_group(std::true_type{});
    }
    while (ring.any_left())
    {
        ring.take(consume);
    }
    merge_lanes(sum, candidates.lanes);
    if (place.active && threadIdx.x % candidates.lanes == 0)
    {
        force[place.particle] = sum;
    }
}

}  // namespace

template <class P>
void launch_row_forces(PositionView<P> const& positions, RowListView const& candidates,
                       PairRanges<typename P::Real> const& ranges,
                       PotentialView<typename P::Real> const& potential, Vec3<double>* force,
                       StepGate const& gate, cudaStream_t stream)
{
    auto const blocks =
        static_cast<unsigned>((candidates.slices() + block_warps - 1) / block_warps);
    with_potential<MixtureCut::compiled>(potential, [&]<class Potential>(Potential const& functor) {
        // The positions of 8 bytes hold no species.
        if constexpr (Potential::one_species || !std::is_same_v<P, CompactPosition>)
        {
            auto* const kernel = row_forces_kernel<P, Potential>;
            cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                            shared_percent),
                       "divide the on-chip memory for forces from rows on chip");
            kernel<<<blocks, block, 0, stream>>>(positions, candidates, ranges, functor, force,
                                                 gate);
            cuda_check(cudaGetLastError(), "launch of forces from rows on chip");
        }
    });
}

#define TESSERA_INSTANTIATE(P)                                                                    \
    template void launch_row_forces<P>(PositionView<P> const&, RowListView const&,                \
                                       PairRanges<P::Real> const&, PotentialView<P::Real> const&, \
                                       Vec3<double>*, StepGate const&, cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(CompactPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
