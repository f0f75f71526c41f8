#include "kernels/device/cuda_check.hpp"
#include "kernels/device/launch.hpp"
#include "kernels/motion/observables_cuda.hpp"

// f64 allowed: ::kinetic_kernel: *: sums over the double state
// f64 allowed: ::sound_kernel: *: judges the double state
// f64 allowed: ::sum_kernel: *: sums the sums of slices in double

namespace tessera::cuda
{
namespace
{

constexpr int block = 256;
constexpr int sum_block = 512;

__device__ double warp_total(double value)
{
    for (int mask = 16; mask > 0; mask /= 2)
    {
        value += __shfl_xor_sync(all_lanes, value, mask);
    }
    return value;
}

__global__ void __launch_bounds__(block)
    kinetic_kernel(ParticleView particles, KineticSum* warp_sum)
{
    std::int64_t const particle = blockIdx.x * static_cast<std::int64_t>(block) + threadIdx.x;
    Vec3<double> v{};
    double mass = 0.0;
    if (particle < particles.count)
    {
        v = particles.velocity[particle];
        mass = particles.mass[particles.species[particle]];
    }
    KineticSum const total{
        warp_total(mass * v.x * v.x),
        warp_total(mass * v.x * v.y),
        warp_total(mass * v.x * v.z),
        warp_total(mass * v.y * v.y),
        warp_total(mass * v.y * v.z),
        warp_total(mass * v.z * v.z),
        {warp_total(mass * v.x), warp_total(mass * v.y), warp_total(mass * v.z)}};
    if (threadIdx.x % 32 == 0 && particle < particles.count)
    {
        warp_sum[particle / 32] = total;
    }
}

__global__ void __launch_bounds__(sum_block)
    sum_kernel(double const* values, std::int64_t entries, int width, double* total)
{
    __shared__ double sm_sum[sum_block];
    int const component = blockIdx.x;
    double sum = 0.0;
    for (std::int64_t entry = threadIdx.x; entry < entries; entry += sum_block)
    {
        sum += values[entry * width + component];
    }
    sm_sum[threadIdx.x] = sum;
    for (int half = sum_block / 2; half > 0; half /= 2)
    {
        __syncthreads();
        if (threadIdx.x < half)
        {
            sm_sum[threadIdx.x] += sm_sum[threadIdx.x + half];
        }
    }
    if (threadIdx.x == 0)
    {
        total[component] = sm_sum[0];
    }
}

__global__ void __launch_bounds__(block)
    sound_kernel(ParticleView particles, std::int64_t const* id, double dt, MotionLimits limits,
                 long long* fault)
{
    std::int64_t const particle = blockIdx.x * static_cast<std::int64_t>(block) + threadIdx.x;
    if (particle < particles.count &&
        !is_sound(particles.position[particle], particles.velocity[particle],
                  particles.force[particle], dt, particles.mass[particles.species[particle]],
                  limits))
    {
        atomicMin(fault, static_cast<long long>(id[particle]));
    }
}

}  // namespace

void sum_kinetic(ParticleView const& particles, KineticSum* warp_sum, cudaStream_t stream)
{
    kinetic_kernel<<<blocks_for(particles.count, block), block, 0, stream>>>(particles, warp_sum);
    cuda_check(cudaGetLastError(), "launch of the kinetic sums");
}

void fold(double const* values, std::int64_t entries, int width, double* total, cudaStream_t stream)
{
    sum_kernel<<<static_cast<unsigned>(width), sum_block, 0, stream>>>(values, entries, width,
                                                                       total);
    cuda_check(cudaGetLastError(), "launch of a sum");
}

void find_unsound(ParticleView const& particles, std::int64_t const* id, double dt,
                  MotionLimits const& limits, long long* fault, cudaStream_t stream)
{
    sound_kernel<<<blocks_for(particles.count, block), block, 0, stream>>>(particles, id, dt,
                                                                           limits, fault);
    cuda_check(cudaGetLastError(), "launch of the check of particles");
}

}  // namespace tessera::cuda
