#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cuda/chunks.hpp"
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/lists.hpp"
#include "engine/cuda/particles.hpp"
#include "engine/cuda/tables.hpp"
#include "engine/state/soundness.hpp"
#include "kernels/force/force_cuda.hpp"
#include "kernels/motion/integrate_cuda.hpp"

namespace tessera
{

/// The pipeline on one GPU. P is the form of positions (the precision), Slot the format of chunks.
///
/// Steps are queued in batches, and no step in a batch comes back to the host: each step's gate
/// (kernels/device/step_gate.hpp) stays open while the neighbor lists are proven complete. When it
/// closes, the rest of the batch is skipped on the device, and the host finds that step drifted but
/// without forces: it rebuilds, or grows what overflowed, and finishes the step at the front of the
/// next batch. Sums run in a fixed order: the same state gives the same bytes. Members are defined
/// in three sources: cuda_backend.cpp (loading, reporting), cuda_steps.cpp and cuda_sampling.cpp.
template <class P, class Slot>
class CudaBackend final : public Backend
{
public:
    CudaBackend(Config const& config, Notify notify);

    void load(State const& state) override;
    void advance(std::int64_t steps) override;
    void recompute_forces(std::int64_t times, Reuse reuse) override;
    std::int64_t find_unsound() override;
    Sample sample() override;
    void count_pairs(std::vector<std::uint64_t>& pairs) override;
    void save(State& state) override;
    BackendReport report() const override;

private:
    using Real = typename P::Real;
    static constexpr std::int64_t longest_batch = 64;
    static constexpr int sum_width = 9;  // doubles of the widest sum

    /// A step that drifted but has no forces yet, and what it needs first.
    struct Pending
    {
        std::optional<ListPositions> rebuild;
    };

    void select_device() const;
    static double copy_limit(Box const& box);
    void prepare(ForcePath path);
    void choose_path();
    void run_batch(std::int64_t steps, std::int64_t last_step);
    void queue_batch(std::int64_t steps, std::int64_t last_step);
    void queue_pending();
    void queue_step(std::int64_t place, cuda::Kicks kicks, StreamUse overlap);
    void queue_integrate(cuda::Kicks kicks, cuda::StepGate const& gate);
    void build_lists(ListPositions positions, cuda::StepGate const& gate);
    void compute_row_forces(cuda::StepGate const& gate);
    void fill_chunks();
    void const* source() const;

    /// Calls `use` with the positions that chunks are reordered from.
    template <class Use>
    void with_positions(Use const& use) const;
    void compute_forces(cuda::StepGate const& gate, StreamUse overlap);
    void read_back(std::int64_t words);
    void settle(std::int64_t steps);
    void recover(std::uint32_t word, bool first);
    bool is_timed(std::int64_t steps) const;
    void account_seconds(std::int64_t steps, std::int64_t closed);
    void queue_replay();
    std::int64_t predicted_steps() const;
    void finish_pending();
    void report_chunk_growth();
    std::int64_t batch_length(std::int64_t left) const;
    cuda::StepGate gate(std::int64_t place) const;
    PotentialView<Real> potential(bool sharp) const;
    std::int64_t warps() const;
    EnergySum sum_energies(bool sharp);
    void count_neighbors();

    /// Calls `use` with everything that holds neighbors: the list, or each chunk in turn.
    template <class Use>
    void for_each_source(cuda::StepGate const& gate, StreamUse overlap, Use const& use);

    Config config_;
    Notify notify_;
    ForcePath path_;
    SoundRules rules_{};
    bool on_chip_ = false;  // forces of steps come from rows that never leave the chip
    std::string device_;
    Stream stream_;
    CudaStageClock clock_;
    CudaTables<Real> tables_;
    CudaParticles particles_;
    CudaLists<P> lists_;
    CudaChunks<Slot> chunks_;

    DeviceBuffer<std::uint32_t> words_;
    DeviceBuffer<cuda::StepFaults> faults_;
    PinnedBuffer<std::uint32_t> host_words_;
    PinnedBuffer<cuda::StepFaults> host_faults_, no_faults_;
    DeviceBuffer<double> warp_sums_, totals_;
    PinnedBuffer<double> host_totals_;
    DeviceBuffer<std::uint64_t> histogram_;

    std::int64_t step_ = 0;
    std::int64_t done_ = 0;  // steps of this advance() that are complete but for the last kick
    std::int64_t since_build_ = 0;
    double moved_ = 0.0, moved_a_step_ = 0.0;  // furthest since the build, and its growth [sigma]
    Graph replay_;                             // replay_steps steps, for small systems
    std::optional<Pending> pending_;
    std::uint32_t limit_moved_ = 0, limit_stop_ = 0;

    StageSeconds seconds_;
    std::int64_t timed_steps_ = 0, steps_run_ = 0, batches_ = 0;
    CudaStageClock::Seconds timed_{};
    std::vector<ChunkSpan> timeline_;  // of the last step counted in timed_
    std::int64_t device_builds_ = 0, regrowths_ = 0;
    double mean_neighbors_ = 0.0;
    std::int64_t max_neighbors_ = 0;
};

}  // namespace tessera
