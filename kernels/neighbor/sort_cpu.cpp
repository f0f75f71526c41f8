#include "kernels/neighbor/sort.hpp"

namespace tessera::cpu
{

CellGrid CellSort::sort(Vec3<double> const* position, std::int64_t const* id, std::int64_t count,
                        GridSpec const& spec)
{
    CellGrid const dense = lay_dense(spec, count);
    if (dense.widening <= most_widening)
    {
        count_dense(position, count, dense);
        if (dense.widening == 1.0 || !crowds())
        {
            order_dense(id);
            return dense;
        }
    }
    CellGrid const sparse = lay_sparse(spec);
    sort_sparse(position, id, count, sparse);
    return sparse;
}

void CellSort::sort(Vec3<double> const* position, std::int64_t const* id, std::int64_t count,
                    CellGrid const& grid)
{
    if (grid.layout == CellLayout::sparse)
    {
        sort_sparse(position, id, count, grid);
        return;
    }
    count_dense(position, count, grid);
    order_dense(id);
}

void CellSort::count_dense(Vec3<double> const* position, std::int64_t count, CellGrid const& grid)
{
    layout_ = CellLayout::dense;
    cell_index_.resize(static_cast<std::size_t>(count));
    start_.assign(static_cast<std::size_t>(grid.cell_count()) + 1, 0);
    std::int64_t* const cell = cell_index_.data();
#pragma omp parallel for schedule(static)
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        cell[particle] = cell_index(cell_of(position[particle], grid), grid);
    }
    // Counting is serial: it is short beside building the lists, and independent of threads.
    std::int32_t* const start = start_.data();
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        ++start[cell[particle]];
    }
    std::int32_t sum = 0;
    for (std::int32_t& first : start_)
    {
        std::int32_t const in_cell = first;
        first = sum;
        sum += in_cell;
    }
}

bool CellSort::crowds() const
{
    double shared = 0.0;
    for (std::size_t c = 0; c + 1 < start_.size(); ++c)
    {
        double const in_cell = start_[c + 1] - start_[c];
        shared += in_cell * in_cell;
    }
    return shared > crowded_cell * static_cast<double>(cell_index_.size());
}

void CellSort::order_dense(std::int64_t const* id)
{
    auto const count = static_cast<std::int64_t>(cell_index_.size());
    auto const cells = static_cast<std::int64_t>(start_.size()) - 1;
    order_.resize(cell_index_.size());
    std::int64_t const* const cell = cell_index_.data();
    std::int32_t* const start = start_.data();
    std::int32_t* const order = order_.data();
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
                  [&](std::int32_t a, std::int32_t b) { return id[a] < id[b]; });
    }
}

void CellSort::sort_sparse(Vec3<double> const* position, std::int64_t const* id, std::int64_t count,
                           CellGrid const& grid)
{
    layout_ = CellLayout::sparse;
    order_.resize(static_cast<std::size_t>(count));
    entry_.resize(order_.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t particle = 0; particle < count; ++particle)
    {
        entry_[static_cast<std::size_t>(particle)] = {
            cell_of(position[particle], grid), static_cast<std::int32_t>(particle), id[particle]};
    }
    std::sort(entry_.begin(), entry_.end(), [](Entry const& a, Entry const& b) {
        return a.cell == b.cell ? a.id < b.id : precedes(a.cell, b.cell);
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
