#include "kernels/device/cuda_check.hpp"
#include "kernels/shoc/position.cuh"
#include "kernels/shoc/shoc.hpp"

namespace tessera::cuda
{
namespace
{

constexpr int shoc_block = 256;

template <ShocDivision division, class T>
__device__ __forceinline__ T reciprocal(T x)
{
    if constexpr (division == ShocDivision::approximate && sizeof(T) == 4)
    {
        return __fdividef(1.0F, x);
    }
    else
    {
        return T(1) / x;
    }
}

/// The loop of SHOC's compute_lj_force. The trip count is an argument, as there.
template <class T, ShocDivision division>
__global__ void __launch_bounds__(shoc_block)
    shoc_force_kernel(ShocView<T> atoms, int neighbors, ShocPair<T> pair,
                      Vec3<T>* __restrict__ force)
{
    int const count = static_cast<int>(atoms.count);
    int const atom = blockIdx.x * shoc_block + threadIdx.x;
    if (atom >= count)
    {
        return;
    }
    Vec3<T> const own = load_position(atoms.position, atom);
    Vec3<T> sum{};
    for (int slot = 0; slot < neighbors; ++slot)
    {
        int const neighbor = __ldg(atoms.list + slot * count + atom);
        Vec3<T> const d = own - load_position(atoms.position, neighbor);
        T r_sq = dot(d, d);
        if (r_sq < pair.cutoff_sq)
        {
            T const inv_r_sq = reciprocal<division>(r_sq);
            T const inv_r6 = inv_r_sq * inv_r_sq * inv_r_sq;
            sum += inv_r_sq * inv_r6 * (pair.lj1 * inv_r6 - pair.lj2) * d;
        }
    }
    force[atom] = sum;
}

}  // namespace

template <class T>
void shoc_force(ShocView<T> atoms, ShocPair<T> pair, ShocDivision division, Vec3<T>* force,
                StreamHandle stream)
{
    auto const blocks = static_cast<unsigned>((atoms.count + shoc_block - 1) / shoc_block);
    auto* const kernel = division == ShocDivision::ieee
                             ? shoc_force_kernel<T, ShocDivision::ieee>
                             : shoc_force_kernel<T, ShocDivision::approximate>;
    kernel<<<blocks, shoc_block, 0, stream>>>(atoms, shoc_neighbors, pair, force);
    cuda_check(cudaGetLastError(), "launch of shoc_force");
}

template void shoc_force<float>(ShocView<float>, ShocPair<float>, ShocDivision, Vec3<float>*,
                                StreamHandle);
template void shoc_force<double>(ShocView<double>, ShocPair<double>, ShocDivision, Vec3<double>*,
                                 StreamHandle);

}  // namespace tessera::cuda
