#include <cmath>

#include "kernels/force/consumers.hpp"
#include "kernels/shoc/shoc.hpp"

namespace tessera::cpu
{

template <class T>
void shoc_force(ShocView<T> atoms, ShocPair<T> pair, Vec3<T>* force)
{
#pragma omp parallel for schedule(static)
    for (std::int64_t atom = 0; atom < atoms.count; ++atom)
    {
        ShocPosition<T> const own = atoms.position[atom];
        Vec3<T> sum{};
        for (int slot = 0; slot < shoc_neighbors; ++slot)
        {
            ShocPosition<T> const& other = atoms.position[atoms.list[slot * atoms.count + atom]];
            Vec3<T> const d{own.x - other.x, own.y - other.y, own.z - other.z};
            Force<ShocPair<T>, T>{pair}.add(sum, d, 0, 0);
        }
        force[atom] = sum;
    }
}

template void shoc_force<float>(ShocView<float>, ShocPair<float>, Vec3<float>*);
template void shoc_force<double>(ShocView<double>, ShocPair<double>, Vec3<double>*);

void shoc_tile_list(std::int32_t const* list, std::int64_t count, std::int32_t const* order,
                    int lanes, std::int32_t* index)
{
    int const groups = shoc_groups(lanes);
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < slice_count(count, lanes); ++slice)
    {
        for (int group = 0; group < groups; ++group)
        {
            for (int row = 0; row < slice_rows; ++row)
            {
                std::int64_t const place = (slice * slice_rows + row) / lanes;
                int const lane = row % lanes;
                std::int32_t* const entry =
                    index + ((slice * groups + group) * slice_rows + row) * slot_group;
                for (int k = 0; k < slot_group; ++k)
                {
                    std::int64_t const slot = (slot_group * group + k) * lanes + lane;
                    entry[k] = place < count
                                   ? list[slot * count + (order != nullptr ? order[place] : place)]
                                   : 0;
                }
            }
        }
    }
}

}  // namespace tessera::cpu
