#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/arithmetic/box.hpp"

namespace tessera
{

/// Points in cells, for finding those within a distance while a system is set up.
///
/// Every point within `distance` of a place lies in the cells that for_each_near() visits, each
/// once, whatever the box: an axis of one or two cells is visited without repetition.
class PointGrid
{
public:
    /// Covers [low, low + extent) of `box`; along periodic axes that is [0, edge). Cells are no
    /// smaller than `distance` [sigma] and not many more than `expected` points.
    PointGrid(Box const& box, Vec3<double> low, Vec3<double> extent, double distance,
              std::int64_t expected);

    void add(Vec3<double> const& point);

    /// Calls visit(index) for every point in the cells around `place`, in order of addition within
    /// a cell reversed; stops when it returns false.
    template <class Visit>
    void for_each_near(Vec3<double> const& place, Visit visit) const
    {
        Vec3<std::int64_t> const center = cell_of(place);
        Vec3<Span> const span{span_of(center, 0), span_of(center, 1), span_of(center, 2)};
        for (int k = 0; k < span.z.count; ++k)
        {
            for (int j = 0; j < span.y.count; ++j)
            {
                for (int i = 0; i < span.x.count; ++i)
                {
                    std::int64_t const cell =
                        index_of({span.x.cell[i], span.y.cell[j], span.z.cell[k]});
                    for (std::int64_t point = head_[static_cast<std::size_t>(cell)]; point >= 0;
                         point = next_[static_cast<std::size_t>(point)])
                    {
                        if (!visit(point))
                        {
                            return;
                        }
                    }
                }
            }
        }
    }

private:
    /// The distinct cells along one axis, at most three.
    struct Span
    {
        std::int64_t cell[3];
        int count;
    };

    Vec3<std::int64_t> cell_of(Vec3<double> const& place) const;
    Span span_of(Vec3<std::int64_t> const& center, int axis) const;
    std::int64_t index_of(Vec3<std::int64_t> const& cell) const
    {
        return (cell.z * count_.y + cell.y) * count_.x + cell.x;
    }

    Vec3<Boundary> boundary_;
    Vec3<double> low_, cells_per_length_;
    Vec3<std::int64_t> count_;
    std::vector<std::int64_t> head_;  // [cell] last point added, -1: none
    std::vector<std::int64_t> next_;  // [point]
};

}  // namespace tessera
