#include "tools/bench/sectors.hpp"

#include <algorithm>
#include <array>

namespace tessera
{
namespace
{

/// Where each array begins; far enough apart that none share a sector.
constexpr std::uint64_t position_base = 1ULL << 40;
constexpr std::uint64_t list_base = 2ULL << 40;
constexpr std::uint64_t order_base = 3ULL << 40;
constexpr std::uint64_t chunk_base = 4ULL << 40;

/// The addresses one request reads, lane by lane.
class Request
{
public:
    void add(std::uint64_t address)
    {
        address_[count_++] = address;
    }
    void count(Transactions& transactions, int bytes_each)
    {
        if (count_ > 0)
        {
            transactions.load({address_.data(), count_}, bytes_each);
        }
        count_ = 0;
    }

private:
    std::array<std::uint64_t, slice_rows> address_{};
    std::size_t count_ = 0;
};

/// load_position() of a warp: 16 bytes of x, y (and z in float), then z alone in double.
template <class T>
void count_positions(std::span<std::int32_t const> atom, Transactions& transactions)
{
    Request first;
    Request second;
    for (std::int32_t const a : atom)
    {
        std::uint64_t const address =
            position_base + static_cast<std::uint64_t>(a) * sizeof(ShocPosition<T>);
        first.add(address);
        if constexpr (sizeof(T) == 8)
        {
            second.add(address + 16);
        }
    }
    first.count(transactions, 16);
    second.count(transactions, 8);
}

/// The atoms of a slice's rows, as the kernels find them: rows past the last repeat it.
struct SliceAtoms
{
    std::array<std::int32_t, slice_rows> atom;
    std::array<std::int64_t, slice_rows> place;
};

SliceAtoms atoms_of(std::int64_t slice, int lanes, std::int64_t count, std::int32_t const* order)
{
    SliceAtoms rows{};
    for (int row = 0; row < slice_rows; ++row)
    {
        std::int64_t const place = std::min((slice * slice_rows + row) / lanes, count - 1);
        rows.place[row] = place;
        rows.atom[row] = order != nullptr ? order[place] : static_cast<std::int32_t>(place);
    }
    return rows;
}

/// The look-up of a slice's atoms and their own positions.
template <class T>
void count_own(SliceAtoms const& rows, std::int32_t const* order, Transactions& transactions)
{
    if (order != nullptr)
    {
        Request request;
        for (std::int64_t const place : rows.place)
        {
            request.add(order_base + static_cast<std::uint64_t>(place) * 4);
        }
        request.count(transactions, 4);
    }
    count_positions<T>(rows.atom, transactions);
}

/// One group of a tiled list: the indices, and the four neighbors of each row.
template <class T>
void count_tiled_group(ShocTiledList const& list, std::int64_t slice, int group,
                       Transactions& transactions)
{
    std::int64_t const first = (slice * shoc_groups(list.lanes) + group) * slice_rows;
    Request indices;
    for (int row = 0; row < slice_rows; ++row)
    {
        indices.add(list_base + static_cast<std::uint64_t>(first + row) * 16);
    }
    indices.count(transactions, 16);
    std::array<std::int32_t, slice_rows> neighbor{};
    for (int k = 0; k < slot_group; ++k)
    {
        for (int row = 0; row < slice_rows; ++row)
        {
            neighbor[row] = list.index[(first + row) * slot_group + k];
        }
        count_positions<T>(neighbor, transactions);
    }
}

/// The same from a column-major list.
template <class T>
void count_column_group(ShocView<T> const& atoms, SliceAtoms const& rows, int lanes, int group,
                        Transactions& transactions)
{
    std::array<std::int32_t, slice_rows> neighbor{};
    for (int k = 0; k < slot_group; ++k)
    {
        Request indices;
        for (int row = 0; row < slice_rows; ++row)
        {
            std::int64_t const slot = (slot_group * group + k) * lanes + row % lanes;
            std::int64_t const entry = slot * atoms.count + rows.atom[row];
            indices.add(list_base + static_cast<std::uint64_t>(entry) * 4);
            neighbor[row] = atoms.list[entry];
        }
        indices.count(transactions, 4);
        count_positions<T>(neighbor, transactions);
    }
}

/// Lists walked slice by slice, each slice by `warps` warps that all look up its atoms.
template <class T>
Transactions count_rows(ShocView<T> const& atoms, ShocTiledList const& list, ShocListLayout layout,
                        int warps)
{
    Transactions transactions;
    for (std::int64_t slice = 0; slice < slice_count(atoms.count, list.lanes); ++slice)
    {
        SliceAtoms const rows = atoms_of(slice, list.lanes, atoms.count, list.order);
        for (int warp = 0; warp < warps; ++warp)
        {
            count_own<T>(rows, list.order, transactions);
        }
        for (int group = 0; group < shoc_groups(list.lanes); ++group)
        {
            if (layout == ShocListLayout::tiled)
            {
                count_tiled_group<T>(list, slice, group, transactions);
            }
            else
            {
                count_column_group(atoms, rows, list.lanes, group, transactions);
            }
        }
    }
    return transactions;
}

}  // namespace

void Transactions::load(std::span<std::uint64_t const> address, int bytes_each)
{
    std::array<std::uint64_t, 2 * slice_rows> sector{};
    std::size_t count = 0;
    for (std::uint64_t const a : address)
    {
        sector[count++] = a / sector_bytes;
    }
    std::sort(sector.begin(), sector.begin() + static_cast<std::ptrdiff_t>(count));
    auto const end =
        std::unique(sector.begin(), sector.begin() + static_cast<std::ptrdiff_t>(count));
    requests += 1;
    sectors += end - sector.begin();
    bytes += static_cast<std::int64_t>(address.size()) * bytes_each;
}

template <class T>
Transactions count_shoc_force(ShocView<T> atoms)
{
    Transactions transactions;
    for (std::int64_t first = 0; first < atoms.count; first += slice_rows)
    {
        auto const active =
            static_cast<std::size_t>(std::min<std::int64_t>(slice_rows, atoms.count - first));
        std::array<std::int32_t, slice_rows> atom{};
        for (std::size_t lane = 0; lane < active; ++lane)
        {
            atom[lane] = static_cast<std::int32_t>(first + static_cast<std::int64_t>(lane));
        }
        count_positions<T>({atom.data(), active}, transactions);
        for (int slot = 0; slot < shoc_neighbors; ++slot)
        {
            Request indices;
            std::array<std::int32_t, slice_rows> neighbor{};
            for (std::size_t lane = 0; lane < active; ++lane)
            {
                std::int64_t const entry = slot * atoms.count + atom[lane];
                indices.add(list_base + static_cast<std::uint64_t>(entry) * 4);
                neighbor[lane] = atoms.list[entry];
            }
            indices.count(transactions, 4);
            count_positions<T>({neighbor.data(), active}, transactions);
        }
    }
    return transactions;
}

template <class T>
Transactions count_shoc_gather(ShocView<T> atoms, ShocTiledList list)
{
    return count_rows(atoms, list, ShocListLayout::tiled, 1);
}

template <class T>
Transactions count_shoc_reorder(ShocView<T> atoms, ShocTiledList list, ShocListLayout layout)
{
    return count_rows(atoms, list, layout, std::min(shoc_groups(list.lanes), shoc_reorder_warps));
}

template <class Slot>
Transactions count_shoc_chunk_force(std::span<std::int32_t const> slots, std::int64_t count,
                                    int lanes, std::int32_t const* order)
{
    Transactions transactions;
    constexpr std::int64_t planes_a_group = slot_group * Slot::bytes / 16;
    for (std::int64_t slice = 0; slice < slice_count(count, lanes); ++slice)
    {
        std::uint64_t const slots_address = order_base + static_cast<std::uint64_t>(slice) * 4;
        transactions.load({&slots_address, 1}, 4);
        for (std::int64_t plane = 0; plane < slots[slice] / slot_group * planes_a_group; ++plane)
        {
            Request request;
            for (int row = 0; row < slice_rows; ++row)
            {
                request.add(chunk_base + static_cast<std::uint64_t>(plane * slice_rows + row) * 16);
            }
            request.count(transactions, 16);
        }
        if (order != nullptr)
        {
            Request request;
            for (int row = 0; row < slice_rows; row += lanes)
            {
                std::int64_t const place = (slice * slice_rows + row) / lanes;
                if (place < count)
                {
                    request.add(list_base + static_cast<std::uint64_t>(place) * 4);
                }
            }
            request.count(transactions, 4);
        }
    }
    return transactions;
}

#define TESSERA_INSTANTIATE(T)                                              \
    template Transactions count_shoc_force<T>(ShocView<T>);                 \
    template Transactions count_shoc_gather<T>(ShocView<T>, ShocTiledList); \
    template Transactions count_shoc_reorder<T>(ShocView<T>, ShocTiledList, ShocListLayout);
TESSERA_INSTANTIATE(float)
TESSERA_INSTANTIATE(double)
#undef TESSERA_INSTANTIATE

#define TESSERA_INSTANTIATE(Slot)                                                     \
    template Transactions count_shoc_chunk_force<Slot>(std::span<std::int32_t const>, \
                                                       std::int64_t, int, std::int32_t const*);
TESSERA_INSTANTIATE(PackedSlot)
TESSERA_INSTANTIATE(FloatSlot)
TESSERA_INSTANTIATE(DoubleSlot)
#undef TESSERA_INSTANTIATE

}  // namespace tessera
