#pragma once
/// Appends indices to one row of a RowListView without a branch: they wait in shared memory until
/// there are four for a 16-byte store.

#include "kernels/device/launch.hpp"
#include "kernels/neighbor/neighbor_cuda.hpp"

namespace tessera::cuda
{

class RowQueue
{
public:
    static constexpr unsigned depth = 8;
    /// Shared memory of one warp, [entry][lane].
    using Entries = std::int32_t[depth][slice_rows];

    __device__ RowQueue(RowListView const& list, std::int64_t slice, Entries& sm_entries,
                        std::int32_t own)
        : entry_(&sm_entries[0][threadIdx.x % slice_rows]),
          out_(reinterpret_cast<int4*>(list.neighbor +
                                       list.row_start(slice, threadIdx.x % slice_rows))),
          capacity_(list.capacity),
          own_(own)
    {
    }

    /// The index is stored in any case, and counts only if kept: the place at the tail is free. At
    /// most four pushes between two calls of store_four().
    __device__ void push(std::int32_t neighbor, bool keep)
    {
        entry_[tail_ % (depth * slice_rows)] = neighbor;
        tail_ += keep ? slice_rows : 0;
    }

    __device__ void store_four()
    {
        if (tail_ - head_ >= slot_group * slice_rows)
        {
            std::int32_t const* const four = entry_ + head_ % (depth * slice_rows);
            put(make_int4(four[0], four[slice_rows], four[2 * slice_rows], four[3 * slice_rows]));
            head_ += slot_group * slice_rows;
        }
    }

    /// Pads every row of the warp to the longest and records the slice; closes the gate if a row
    /// did not fit. All lanes call it.
    __device__ void finish(RowListView const& list, std::int64_t slice, StepGate const& gate)
    {
        while (tail_ % (slot_group * slice_rows) != 0)
        {
            push(own_, true);
        }
        store_four();
        int const longest = __reduce_max_sync(all_lanes, slots_);
        while (slots_ < min(longest, capacity_))
        {
            put(make_int4(own_, own_, own_, own_));
        }
        if (threadIdx.x % slice_rows == 0)
        {
            list.slots[slice] = min(longest, capacity_);
            if (longest > capacity_)
            {
                atomicMax(&gate.faults->list_slots, static_cast<unsigned long long>(longest));
                close(gate);
            }
        }
    }

private:
    __device__ void put(int4 four)
    {
        if (slots_ < capacity_)
        {
            *out_ = four;
        }
        out_ += slice_rows;
        slots_ += slot_group;
    }

    std::int32_t* entry_;
    int4* out_;
    unsigned head_ = 0, tail_ = 0;  // in entries times rows, growing
    int slots_ = 0;
    int capacity_;
    std::int32_t own_;
};

}  // namespace tessera::cuda
