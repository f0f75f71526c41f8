#include <fmt/format.h>

#include <algorithm>
#include <nvtx3/nvtx3.hpp>

#include "engine/backend/stage_timer.hpp"
#include "engine/config/errors.hpp"
#include "engine/cuda/sources.hpp"
#include "kernels/motion/observables_cuda.hpp"

namespace tessera
{

template <class P, class Slot>
std::int64_t CudaBackend<P, Slot>::find_unsound()
{
    select_device();
    StageTimer const timer(seconds_.observables);
    faults_.upload(no_faults_.span(), stream_.get());
    cuda::launch_find_unsound(particles_.view(), particles_.arrays().rank, rules_.dt, rules_.limits,
                              &faults_.data()->unsound, stream_.get());
    // What follows is written to files only if the host knows that it may be.
    read_back(1);
    unsigned long long const rank = host_faults_[0].unsound;
    return rank == ~0ULL ? -1 : static_cast<std::int64_t>(rank);
}

template <class P, class Slot>
void CudaBackend<P, Slot>::report_chunk_growth()
{
    ++regrowths_;
    notify_(fmt::format("reordered rows need {} slots: grown, and reordered again",
                        host_faults_[0].chunk_slots));
}

/// Chunks for the consumers of a sample, where the step's own rows never were in memory. They may
/// not fit at first, and consumers cannot tell.
template <class P, class Slot>
void CudaBackend<P, Slot>::fill_chunks()
{
    bool filled = !on_chip_;
    while (!filled)
    {
        words_.fill_bytes(0, stream_.get());
        faults_.upload(no_faults_.span(), stream_.get());
        for_each_source(gate(0), StreamUse::none, [](auto const&) {});
        read_back(1);
        filled = host_words_[0] != cuda::gate_closed;
        if (!filled)
        {
            chunks_.invalidate();
            if (!chunks_.grow(host_faults_[0]))
            {
                throw RunError(fmt::format(
                    "step {}: a reorder was stopped for no reason that is known", step_));
            }
            report_chunk_growth();
        }
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::recompute_forces(std::int64_t times, Reuse reuse)
{
    select_device();
    nvtx3::scoped_range const range("recompute forces");
    if (reuse == Reuse::valid)
    {
        fill_chunks();
    }
    for (std::int64_t n = 0; n < times; ++n)
    {
        if (reuse == Reuse::none)
        {
            chunks_.invalidate();
            compute_forces({}, StreamUse::streams);
            continue;
        }
        for_each_source({}, StreamUse::streams, [&](auto const& source) {
            cuda::launch_forces(source, potential(false), particles_.view().force, {},
                                stream_.get());
        });
    }
    // The one wait of the call: whoever times it then has all of it.
    stream_.synchronize();
}

template <class P, class Slot>
EnergySum CudaBackend<P, Slot>::sum_energies(bool sharp)
{
    auto* const sums = reinterpret_cast<EnergySum*>(warp_sums_.data());
    for_each_source({}, StreamUse::none, [&](auto const& source) {
        cuda::launch_energies(source, potential(sharp), sums, stream_.get());
    });
    constexpr int width = sizeof(EnergySum) / sizeof(double);
    cuda::launch_sum(warp_sums_.data(), warps(), width, totals_.data(), stream_.get());
    totals_.download(host_totals_.span().first(width), stream_.get());
    stream_.synchronize();
    double const* const t = host_totals_.data();
    return {t[0], t[1], t[2], t[3], t[4], t[5], t[6]};
}

template <class P, class Slot>
void CudaBackend<P, Slot>::count_neighbors()
{
    faults_.upload(no_faults_.span(), stream_.get());
    for_each_source({}, StreamUse::none, [&](auto const& source) {
        cuda::launch_neighbor_counts(source, potential(false), faults_.data(), stream_.get());
    });
    read_back(1);
    mean_neighbors_ =
        static_cast<double>(host_faults_[0].neighbors) / static_cast<double>(particles_.count());
    max_neighbors_ = static_cast<std::int64_t>(host_faults_[0].most_neighbors);
}

template <class P, class Slot>
Sample CudaBackend<P, Slot>::sample()
{
    select_device();
    nvtx3::scoped_range const range("sample");
    StageTimer const timer(seconds_.observables);
    fill_chunks();
    Sample sample;
    EnergySum const sum = sum_energies(false);
    sample.potential_energy = sum.energy;
    sample.virial = {sum.xx, sum.xy, sum.xz, sum.yy, sum.yz, sum.zz};
    if (config_.potential.tail_correction)
    {
        EnergySum const sharp = sum_energies(true);
        sample.sharp_potential_energy = sharp.energy;
        sample.sharp_virial = {sharp.xx, sharp.xy, sharp.xz, sharp.yy, sharp.yz, sharp.zz};
    }
    cuda::launch_kinetic(particles_.view(), reinterpret_cast<KineticSum*>(warp_sums_.data()),
                         stream_.get());
    cuda::launch_sum(warp_sums_.data(), slice_count(particles_.count(), 1), sum_width,
                     totals_.data(), stream_.get());
    totals_.download(host_totals_.span(), stream_.get());
    stream_.synchronize();
    double const* const t = host_totals_.data();
    sample.kinetic = {t[0], t[1], t[2], t[3], t[4], t[5]};
    sample.momentum = {t[6], t[7], t[8]};
    count_neighbors();
    return sample;
}

template <class P, class Slot>
void CudaBackend<P, Slot>::count_pairs(std::vector<std::uint64_t>& pairs)
{
    select_device();
    StageTimer const timer(seconds_.observables);
    std::size_t const bins = pairs.size();
    if (histogram_.size() != bins)
    {
        histogram_ = DeviceBuffer<std::uint64_t>(bins, stream_.get());
    }
    fill_chunks();
    histogram_.fill_bytes(0, stream_.get());
    double const range = min_cutoff(config_);
    HistogramView const histogram{histogram_.data(), static_cast<int>(bins), range,
                                  std::min(range, copy_limit(particles_.box()))};
    for_each_source({}, StreamUse::none, [&](auto const& source) {
        cuda::launch_pair_counts(source, histogram, stream_.get());
    });
    std::vector<std::uint64_t> from_both_sides(bins);
    histogram_.download(from_both_sides, stream_.get());
    stream_.synchronize();
    for (std::size_t bin = 0; bin < bins; ++bin)
    {
        pairs[bin] += from_both_sides[bin] / 2;
    }
}

template <class P, class Slot>
void CudaBackend<P, Slot>::save(State& state)
{
    select_device();
    particles_.save(state);
    state.step = step_;
}

#define TESSERA_INSTANTIATE(P, Slot)                                              \
    template std::int64_t CudaBackend<P, Slot>::find_unsound();                   \
    template void CudaBackend<P, Slot>::report_chunk_growth();                    \
    template void CudaBackend<P, Slot>::recompute_forces(std::int64_t, Reuse);    \
    template Sample CudaBackend<P, Slot>::sample();                               \
    template void CudaBackend<P, Slot>::count_pairs(std::vector<std::uint64_t>&); \
    template void CudaBackend<P, Slot>::save(State&);
TESSERA_FOR_EACH_CUDA_BACKEND(TESSERA_INSTANTIATE)
#undef TESSERA_INSTANTIATE

}  // namespace tessera
