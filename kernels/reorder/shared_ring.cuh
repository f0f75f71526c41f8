#pragma once
/// Padded rows on the chip: a warp's neighbors within range wait in shared memory, a ring a lane,
/// until every lane holds four; then all lanes take four each.

#include <type_traits>

#include "kernels/arithmetic/chunk.hpp"
#include "kernels/device/shared_access.cuh"
#include "kernels/force/consume.cuh"

namespace tessera::cuda
{

/// `Last` is what a neighbor has beside its displacement: the square of it, or the species.
template <class Real, class Last>
class SharedRing
{
public:
    struct alignas(4 * sizeof(Real)) Entry
    {
        Real x, y, z;
        Last last;
    };
    static constexpr unsigned depth = 8;

    /// `sm_entries` [depth][lane] of this warp.
    __device__ explicit SharedRing(Entry* sm_entries)
        : base_(shared_address(sm_entries + threadIdx.x % 32))
    {
    }

    /// Stores the entry in any case (the place at the tail is free), and keeps it if r_sq <
    /// range_sq.
    __device__ void push(Entry const& entry, Real r_sq, Real range_sq)
    {
        store_shared(base_ + (tail_ & mask), entry);
        if constexpr (sizeof(Real) == 4)
        {
            // No branch or selection.
            asm("{\n\t.reg .pred keep;\n\t"
                "setp.lt.f32 keep, %1, %2;\n\t"
                "@keep add.u32 %0, %0, %3;\n\t}"
                : "+r"(tail_)
                : "f"(r_sq), "f"(range_sq), "n"(step));
        }
        else
        {
            tail_ += r_sq < range_sq ? step : 0;
        }
    }
    /// Whether all lanes have a group, or some lane could not take four more.
    __device__ bool is_due() const
    {
        unsigned const held = tail_ - head_;
        return __all_sync(all_lanes, held >= group) ||
               __any_sync(all_lanes, held > depth * step - group);
    }
    __device__ bool any_left() const
    {
        return __any_sync(all_lanes, tail_ > head_);
    }
    /// Calls `use` with each of a group of every lane, or of what a lane has where that is less.
    template <class Use>
    __device__ void take(Use const& use)
    {
        std::uint32_t const first = base_ + (head_ & mask);
        unsigned const held = tail_ - head_;
        if (__all_sync(all_lanes, held >= group))
        {
#pragma unroll
            for (unsigned k = 0; k < slot_group; ++k)
            {
                use(load_shared<Entry>(first + k * step));
            }
        }
        else
        {
#pragma unroll 1
            for (unsigned k = 0; k < slot_group; ++k)
            {
                if constexpr (std::is_same_v<Last, Real>)
                {
                    // A filler without a displacement has no force, and no lane branches.
                    Entry entry = load_shared<Entry>(first + k * step);
                    if (held <= k * step)
                    {
                        entry = {Real(0), Real(0), Real(0), Real(1)};
                    }
                    use(entry);
                }
                else if (held > k * step)
                {
                    use(load_shared<Entry>(first + k * step));
                }
            }
        }
        head_ += group;
        tail_ = max(tail_, head_);
    }

private:
    static constexpr unsigned step = slice_rows * sizeof(Entry);
    static constexpr unsigned group = slot_group * step;
    static constexpr unsigned mask = depth * step - 1;

    std::uint32_t base_;
    unsigned head_ = 0, tail_ = 0;  // bytes; the head is the same in all lanes
};

}  // namespace tessera::cuda
