#pragma once
/// The particles of neighboring cells along x, found in the table of cells that sort_by_cell()
/// wrote.

#include <cstdint>

#include "kernels/device/launch.hpp"
#include "kernels/neighbor/cells.hpp"

namespace tessera::cuda
{

/// Particles [begin, end) in the order of the sort.
struct ParticleRun
{
    std::int32_t begin, end;
};

/// The first of particles [low, high) whose cell does not come before `wanted`, or high. All lanes
/// of the warp ask alike; 32 probes at a time leave few rounds.
__device__ inline std::int32_t first_not_before(std::int32_t const* cells, std::int32_t low,
                                                std::int32_t high, Vec3<std::int32_t> wanted)
{
    auto const lane = static_cast<std::int32_t>(threadIdx.x % 32);
    while (low < high)
    {
        std::int32_t const stride = (high - low + 31) / 32;
        // In 64 bits: neither lane x stride nor 3 x particle need fit into 32.
        std::int64_t const probe = low + static_cast<std::int64_t>(lane) * stride;
        bool before = false;
        if (probe < high)
        {
            std::int32_t const* const cell = cells + 3 * probe;
            before = precedes({cell[0], cell[1], cell[2]}, wanted);
        }
        // Cells ascend: the probes that come before are the first ones.
        int const passed = __popc(__ballot_sync(all_lanes, before));
        if (passed == 0)
        {
            return low;
        }
        std::int64_t const next = low + static_cast<std::int64_t>(passed) * stride;
        low = static_cast<std::int32_t>(next - stride + 1);
        high = static_cast<std::int32_t>(next < high ? next : high);
    }
    return low;
}

/// The particles of the cells from `first` to the one at `last_x` of the same row, for a warp whose
/// lanes ask alike.
template <CellLayout layout>
__device__ ParticleRun particles_of_row(std::int32_t const* cells, std::int64_t count,
                                        CellGrid const& grid, Vec3<std::int32_t> first,
                                        std::int32_t last_x)
{
    if constexpr (layout == CellLayout::dense)
    {
        return {cells[cell_index(first, grid)],
                cells[cell_index({last_x, first.y, first.z}, grid) + 1]};
    }
    else
    {
        auto const all = static_cast<std::int32_t>(count);
        std::int32_t const begin = first_not_before(cells, 0, all, first);
        // Most rows end within 32 particles.
        Vec3<std::int32_t> const behind{last_x + 1, first.y, first.z};
        std::int32_t const near = all - begin < 32 ? all : begin + 32;
        std::int32_t const end = first_not_before(cells, begin, near, behind);
        return {begin, end < near ? end : first_not_before(cells, near, all, behind)};
    }
}

}  // namespace tessera::cuda
