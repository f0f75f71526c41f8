#include "kernels/sort.hpp"

namespace tessera::cpu
{

void CellSort::sort(Vec3<double> const* position, std::int32_t const* rank, std::int64_t count,
                    CellGrid const& grid)
{
    layout_ = grid.layout;
    order_.resize(static_cast<std::size_t>(count));
    if (layout_ == CellLayout::dense)
    {
        sort_dense(position, rank, grid);
    }
    else
    {
        sort_sparse(position, rank, grid);
    }
}

void CellSort::sort_dense(Vec3<double> const* position, std::int32_t const* rank,
                          CellGrid const& grid)
{
    auto const count = static_cast<std::int64_t>(order_.size());
    std::int64_t const cells = grid.cell_count();
    cell_index_.resize(order_.size());
    start_.resize(static_cast<std::size_t>(cells) + 1);
    std::int64_t* const cell = cell_index_.data();
    std::int32_t* const start = start_.data();
    std::int32_t* const order = order_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        cell[particle] = cell_index(cell_of(position[particle], grid), grid);
    }
    // Counting is serial: it is short beside building the lists, and independent of threads.
    std::fill(start, start + cells + 1, 0);
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        ++start[cell[particle]];
    }
    std::int32_t sum = 0;
    for (std::int64_t c = 0; c <= cells; ++c)
    {
        std::int32_t const in_cell = c < cells ? start[c] : 0;
        start[c] = sum;
        sum += in_cell;
    }
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        order[start[cell[particle]]++] = static_cast<std::int32_t>(particle);
    }
    for (std::int64_t c = cells; c > 0; --c)
    {
        start[c] = start[c - 1];
    }
    start[0] = 0;
#pragma omp parallel for schedule(dynamic, 256)
    for (std::int64_t c = 0; c < cells; ++c)
    {
        std::sort(order + start[c], order + start[c + 1],
                  [&](std::int32_t a, std::int32_t b) { return rank[a] < rank[b]; });
    }
}

void CellSort::sort_sparse(Vec3<double> const* position, std::int32_t const* rank,
                           CellGrid const& grid)
{
    auto const count = static_cast<std::int64_t>(order_.size());
    entry_.resize(order_.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        entry_[static_cast<std::size_t>(particle)] = {
            cell_of(position[particle], grid), rank[particle], static_cast<std::int32_t>(particle)};
    }
    std::sort(entry_.begin(), entry_.end(), [](Entry const& a, Entry const& b) {
        return a.cell == b.cell ? a.rank < b.rank : precedes(a.cell, b.cell);
    });
    cell_.clear();
    start_.clear();
    for (std::size_t index = 0; index < entry_.size(); ++index)
    {
        order_[index] = entry_[index].index;
        if (cell_.empty() || !(cell_.back() == entry_[index].cell))
        {
            cell_.push_back(entry_[index].cell);
            start_.push_back(static_cast<std::int32_t>(index));
        }
    }
    start_.push_back(static_cast<std::int32_t>(count));
}

std::int64_t CellSort::bytes() const
{
    auto const size_of = [](auto const& values) {
        return static_cast<std::int64_t>(values.capacity() * sizeof(values[0]));
    };
    return size_of(order_) + size_of(start_) + size_of(cell_index_) + size_of(cell_) +
           size_of(entry_);
}

ParticleRun RowFinder::find_sparse(Vec3<std::int32_t> first, std::int32_t last_x)
{
    if (row_ == last_found_.size())
    {
        last_found_.push_back(0);
    }
    Vec3<std::int32_t> const* const cell = cells_.cell;
    std::int64_t const count = cells_.count;
    // Ever longer strides from where the row was last, until the first cell lies between.
    std::int64_t low = last_found_[row_];
    std::int64_t high = low;
    if (low < count && precedes(cell[low], first))
    {
        for (std::int64_t stride = 1; high < count && precedes(cell[high], first); stride *= 2)
        {
            low = high + 1;
            high = std::min(high + stride, count);
        }
    }
    else
    {
        for (std::int64_t stride = 1; low > 0 && !precedes(cell[low - 1], first); stride *= 2)
        {
            high = low - 1;
            low = std::max<std::int64_t>(low - stride, 0);
        }
    }
    std::int64_t const begin = std::lower_bound(cell + low, cell + high, first, precedes) - cell;
    std::int64_t end = begin;
    Vec3<std::int32_t> const last{last_x, first.y, first.z};
    while (end < count && !precedes(last, cell[end]))
    {
        ++end;
    }
    last_found_[row_++] = begin;
    return {cells_.start[begin], cells_.start[end]};
}

}  // namespace tessera::cpu
