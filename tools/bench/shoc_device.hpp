#pragma once
/// A SHOC problem's arrays on the device, owned.

#include <cstdint>
#include <vector>

#include "engine/cuda/raii.hpp"
#include "kernels/shoc/shoc.hpp"
#include "tools/bench/shoc_problem.hpp"

namespace tessera
{

template <class T>
class DeviceShoc
{
public:
    /// An empty `order` leaves places and atoms the same. Complete when `stream` gets there; the
    /// host's arrays must live until then.
    DeviceShoc(ShocProblem<T> const& problem, std::vector<std::int32_t> const& order,
               cudaStream_t stream)
        : position_(std::span<ShocPosition<T> const>(problem.position), stream),
          list_(std::span<std::int32_t const>(problem.list), stream),
          order_(std::span<std::int32_t const>(order), stream),
          force_(problem.position.size(), stream)
    {
    }
    ShocView<T> view() const
    {
        return {position_.data(), list_.data(), static_cast<std::int64_t>(position_.size())};
    }
    std::int32_t const* order() const
    {
        return order_.data();
    }
    Vec3<T>* force() const
    {
        return force_.data();
    }
    DeviceBuffer<ShocPosition<T>> const& positions() const
    {
        return position_;
    }
    /// Makes every force not-a-number, so that what a kernel leaves out shows.
    void poison(Stream const& stream) const
    {
        force_.fill_bytes(0xFF, stream.get());
    }
    std::vector<Vec3<T>> forces(Stream const& stream) const
    {
        std::vector<Vec3<T>> host(force_.size());
        force_.download(host, stream.get());
        stream.synchronize();
        return host;
    }

private:
    DeviceBuffer<ShocPosition<T>> position_;
    DeviceBuffer<std::int32_t> list_;
    DeviceBuffer<std::int32_t> order_;
    DeviceBuffer<Vec3<T>> force_;
};

class DeviceTiledList
{
public:
    DeviceTiledList(std::vector<std::int32_t> const& list, std::int64_t count,
                    std::vector<std::int32_t> const& order, int lanes, cudaStream_t stream)
        : host_(make_tiled_list(list, count, order, lanes)),
          index_(std::span<std::int32_t const>(host_), stream),
          lanes_(lanes)
    {
    }
    ShocTiledList view(std::int32_t const* order) const
    {
        return {index_.data(), order, lanes_};
    }

private:
    std::vector<std::int32_t> host_;  // lives until the copy is complete
    DeviceBuffer<std::int32_t> index_;
    int lanes_;
};

template <class Slot>
class DeviceChunk
{
public:
    /// Room for all 128 neighbors of each of `count` atoms.
    DeviceChunk(std::int64_t first, std::int64_t count, int lanes, typename Slot::Scale scale,
                cudaStream_t stream)
        : data_(static_cast<std::size_t>(slice_count(count, lanes) *
                                         slice_bytes<Slot>(shoc_neighbors / lanes)),
                stream),
          slots_(static_cast<std::size_t>(slice_count(count, lanes)), stream),
          view_{data_.data(), slots_.data(), first, count, shoc_neighbors / lanes, lanes, scale}
    {
    }
    ChunkView<Slot> const& view() const
    {
        return view_;
    }
    /// The same memory for other atoms, at most as many.
    ChunkView<Slot> view_of(std::int64_t first, std::int64_t count) const
    {
        ChunkView<Slot> moved = view_;
        moved.first_particle = first;
        moved.particle_count = count;
        return moved;
    }
    DeviceBuffer<std::byte> const& data() const
    {
        return data_;
    }
    DeviceBuffer<std::int32_t> const& slots() const
    {
        return slots_;
    }

private:
    DeviceBuffer<std::byte> data_;
    DeviceBuffer<std::int32_t> slots_;
    ChunkView<Slot> view_;
};

}  // namespace tessera
