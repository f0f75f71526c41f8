#pragma once
/// How many memory transactions a kernel's loads take, counted on the host from the addresses that
/// each warp reads. A request is one load instruction of a warp, a sector 32 bytes.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/shoc/shoc.hpp"

namespace tessera
{

inline constexpr std::uint64_t sector_bytes = 32;

/// Global loads of a kernel.
struct Transactions
{
    std::int64_t requests = 0;
    std::int64_t sectors = 0;  ///< different sectors, request by request
    std::int64_t bytes = 0;    ///< that the lanes asked for

    /// Counts one request: each address (at most 32, of the active lanes) reads `bytes_each`
    /// bytes, aligned to their own number.
    void load(std::span<std::uint64_t const> address, int bytes_each);

    friend bool operator==(Transactions const&, Transactions const&) = default;
};

/// Of cuda::shoc_force.
template <class T>
Transactions count_shoc_force(ShocView<T> atoms);

/// Of cuda::shoc_gather; `list` in host memory.
template <class T>
Transactions count_shoc_gather(ShocView<T> atoms, ShocTiledList list);

/// Of cuda::shoc_reorder over all atoms; `list` in host memory.
template <class T>
Transactions count_shoc_reorder(ShocView<T> atoms, ShocTiledList list, ShocListLayout layout);

/// Of cuda::shoc_chunk_force over a chunk of `count` atoms whose slices use `slots` [slice], with
/// or without an order to look up.
template <class Slot>
Transactions count_shoc_chunk_force(std::span<std::int32_t const> slots, std::int64_t count,
                                    int lanes, std::int32_t const* order);

}  // namespace tessera
