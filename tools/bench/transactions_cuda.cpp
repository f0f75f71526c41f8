#include "engine/cuda/raii.hpp"
#include "tools/bench/shoc_device.hpp"
#include "tools/bench/transactions.hpp"

namespace tessera
{

bool launch_paths_once(ShocProblem<float> const& problem, std::vector<std::int32_t> const& order)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    {
        return false;
    }
    Stream const stream;
    DeviceShoc<float> const atoms(problem, order, stream.get());
    cuda::shoc_force(atoms.view(), {}, cuda::ShocDivision::ieee, atoms.force(), stream.get());
    for (int const lanes : transaction_lanes)
    {
        DeviceTiledList const list(problem.list, problem.count(), order, lanes, stream.get());
        DeviceChunk<PackedSlot> const chunk(0, problem.count(), lanes, packing_scale(4.0, 1),
                                            stream.get());
        cuda::shoc_gather(atoms.view(), list.view(atoms.order()), {}, atoms.force(), stream.get());
        cuda::shoc_reorder(atoms.view(), list.view(atoms.order()),
                           {ShocListLayout::tiled, static_cast<float>(shoc_cutoff_sq)},
                           chunk.view(), stream.get());
        cuda::shoc_chunk_force(chunk.view(), atoms.order(), {}, 0.0F, atoms.force(), stream.get());
    }
    stream.synchronize();
    return true;
}

}  // namespace tessera
