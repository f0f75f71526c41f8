#include "kernels/device/cuda_check.hpp"
#include "kernels/device/launch.hpp"
#include "kernels/motion/integrate_cuda.hpp"

// f64 allowed: ::encode_kernel<: *: reads the double state
// f64 allowed: ::integrate_kernel<: *: moves the double state

namespace tessera::cuda
{
namespace
{

constexpr int block = 128;

__device__ Vec3<double> half_kick(Vec3<double> velocity, Vec3<double> force, double half_dt_by_mass)
{
    return {fma(half_dt_by_mass, force.x, velocity.x), fma(half_dt_by_mass, force.y, velocity.y),
            fma(half_dt_by_mass, force.z, velocity.z)};
}

__device__ float squared_distance_up(Vec3<double> a, Vec3<double> b, Box const& box)
{
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double d = fabs(a[axis] - b[axis]);
        if (box.periodic(axis) && d > 0.5 * box.edges[axis])
        {
            d = box.edges[axis] - d;
        }
        sum = fma(d, d, sum);
    }
    return __double2float_ru(sum);
}

/// The largest of the block's words, into the gate.
__device__ void raise_gate(std::uint32_t moved, std::uint32_t* word)
{
    __shared__ std::uint32_t sm_moved[block / 32];
    moved = __reduce_max_sync(all_lanes, moved);
    if (threadIdx.x % 32 == 0)
    {
        sm_moved[threadIdx.x / 32] = moved;
    }
    __syncthreads();
    if (threadIdx.x == 0)
    {
        for (int warp = 1; warp < block / 32; ++warp)
        {
            moved = max(moved, sm_moved[warp]);
        }
        // Most blocks find the word already larger: a plain read spares the atomic.
        if (moved > *static_cast<std::uint32_t volatile*>(word))
        {
            atomicMax(word, moved);
        }
    }
}

template <class P>
__global__ void __launch_bounds__(block)
    integrate_kernel(__grid_constant__ ParticleView const particles,
                     __grid_constant__ DriftTarget<P> const target,
                     StepParameters const* __restrict__ parameters, Kicks kicks, int species_count,
                     StepGate gate)
{
    std::int64_t const particle = blockIdx.x * static_cast<std::int64_t>(block) + threadIdx.x;
    bool const active = particle < particles.count;
    std::int64_t const at = active ? particle : 0;
    // All loads are under way before the gate is known: small systems wait for nothing else. A
    // thread a word fetches the parameters, so that none is waited for when it is needed.
    static_assert(sizeof(StepParameters) % 4 == 0 && sizeof(StepParameters) / 4 <= block);
    __shared__ alignas(StepParameters) std::uint32_t sm_words[sizeof(StepParameters) / 4];
    if (threadIdx.x < sizeof(StepParameters) / 4)
    {
        sm_words[threadIdx.x] = reinterpret_cast<std::uint32_t const*>(parameters)[threadIdx.x];
    }
    auto const& now = *reinterpret_cast<StepParameters const*>(sm_words);
    Vec3<double> const force = particles.force[at];
    Vec3<double> velocity = particles.velocity[at];
    Vec3<double> position = particles.position[at];
    Vec3<double> const reference = target.reference[at];
    int const species = species_count > 1 ? particles.species[at] : 0;
    __syncthreads();
    if (gate.previous != nullptr && gate.exceeds(*gate.previous))
    {
        if (threadIdx.x == 0 && blockIdx.x == 0 && gate.present != nullptr)
        {
            atomicMax(gate.present, gate_closed);
        }
        return;
    }
    std::uint32_t moved = 0;
    if (active)
    {
        double const half = 0.5 * now.dt / particles.mass[species];
        velocity = half_kick(velocity, force, half);
        if (kicks == Kicks::both_halves)
        {
            velocity = half_kick(velocity, force, half);
        }
        particles.velocity[particle] = velocity;
        if (kicks != Kicks::second_half_only)
        {
            if (drift(position, particles.image[particle], now.dt * velocity, now.box, now.limits))
            {
                moved = __float_as_uint(squared_distance_up(position, reference, now.box));
            }
            else
            {
                moved = gate_closed;
                atomicMin(&gate.faults->runaway, static_cast<long long>(target.id[particle]));
            }
            particles.position[particle] = position;
            if (target.compact != nullptr)
            {
                encode(position, species, now.compact_space, target.compact[particle]);
            }
            else
            {
                encode(position, species, now.space, target.encoded[particle]);
            }
        }
    }
    if (gate.present != nullptr)
    {
        raise_gate(moved, gate.present);
    }
}

template <class P>
__global__ void __launch_bounds__(block)
    encode_kernel(Vec3<double> const* position, ParticleView particles, PairSpace space, P* encoded)
{
    std::int64_t const particle = blockIdx.x * static_cast<std::int64_t>(block) + threadIdx.x;
    if (particle < particles.count)
    {
        encode(position[particle], particles.species[particle], space, encoded[particle]);
    }
}

__global__ void set_kernel(__grid_constant__ StepParameters const now, StepParameters* parameters)
{
    *parameters = now;
}

}  // namespace

void set_parameters(StepParameters const& now, StepParameters* parameters, cudaStream_t stream)
{
    set_kernel<<<1, 1, 0, stream>>>(now, parameters);
    cuda_check(cudaGetLastError(), "launch of the step's parameters");
}

template <class P>
void kick_and_drift(ParticleView const& particles, DriftTarget<P> const& target,
                    DriftSettings const& settings, StepGate const& gate, cudaStream_t stream)
{
    integrate_kernel<P><<<blocks_for(particles.count, block), block, 0, stream>>>(
        particles, target, settings.parameters, settings.kicks, settings.species_count, gate);
    cuda_check(cudaGetLastError(), "launch of integrate");
}

template <class P>
void encode(Vec3<double> const* position, ParticleView const& particles, PairSpace const& space,
            P* encoded, cudaStream_t stream)
{
    encode_kernel<P><<<blocks_for(particles.count, block), block, 0, stream>>>(position, particles,
                                                                               space, encoded);
    cuda_check(cudaGetLastError(), "launch of encode");
}

#define TESSERA_INSTANTIATE(P)                                                              \
    template void kick_and_drift<P>(ParticleView const&, DriftTarget<P> const&,             \
                                    DriftSettings const&, StepGate const&, cudaStream_t);   \
    template void encode<P>(Vec3<double> const*, ParticleView const&, PairSpace const&, P*, \
                            cudaStream_t);
TESSERA_INSTANTIATE(FixedPosition)
TESSERA_INSTANTIATE(FloatPosition)
TESSERA_INSTANTIATE(DoublePosition)
template void encode<CompactPosition>(Vec3<double> const*, ParticleView const&, PairSpace const&,
                                      CompactPosition*, cudaStream_t);
#undef TESSERA_INSTANTIATE

}  // namespace tessera::cuda
