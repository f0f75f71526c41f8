#pragma once
/// Appends indices to one row of a RowListView, four to a 16-byte store.

#include "kernels/device/launch.hpp"
#include "kernels/neighbor/neighbor_cuda.hpp"

namespace tessera::cuda
{

class RowWriter
{
public:
    __device__ RowWriter(RowListView const& list, std::int64_t slice, int row, std::int32_t own)
        : first_(reinterpret_cast<int4*>(list.neighbor + list.row_start(slice, row))),
          capacity_(list.capacity),
          own_(own)
    {
    }

    __device__ void push(std::int32_t neighbor)
    {
        pending_ = {pending_.y, pending_.z, pending_.w, neighbor};
        count_ += 1;
        if (count_ % slot_group == 0 && count_ <= capacity_)
        {
            first_[(count_ / slot_group - 1) * slice_rows] = pending_;
        }
    }

    /// Pads every row of the warp to the longest and records the slice; closes the gate if a row
    /// did not fit. All lanes call it.
    __device__ void finish(RowListView const& list, std::int64_t slice, StepGate const& gate)
    {
        while (count_ % slot_group != 0)
        {
            push(own_);
        }
        int const longest = __reduce_max_sync(all_lanes, count_);
        int const stored = min(longest, capacity_);
        for (int slot = count_; slot < stored; slot += slot_group)
        {
            first_[slot / slot_group * slice_rows] = make_int4(own_, own_, own_, own_);
        }
        if (threadIdx.x % slice_rows == 0)
        {
            list.slots[slice] = stored;
            if (longest > capacity_)
            {
                atomicMax(&gate.faults->list_slots, static_cast<unsigned long long>(longest));
                close(gate);
            }
        }
    }

private:
    int4* first_;
    int4 pending_{};
    int count_ = 0;
    int capacity_;
    std::int32_t own_;
};

}  // namespace tessera::cuda
