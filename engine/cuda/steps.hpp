#pragma once

#include <cstdint>
#include <optional>

#include "engine/cuda/forces.hpp"
#include "engine/cuda/gates.hpp"
#include "engine/cuda/pace.hpp"
#include "engine/cuda/timing.hpp"
#include "engine/state/soundness.hpp"

namespace tessera
{

/// Queues steps in batches, none of which comes back to the host in between.
///
/// Each step's gate (kernels/device/step_gate.hpp) stays open while the neighbor lists are proven
/// complete. When it closes, the rest of the batch is skipped on the device, and the host finds
/// that step drifted but without forces: it rebuilds, or grows what overflowed, and finishes the
/// step at the front of the next batch. A step's last half kick is fused into the next one's first.
template <class P, class Slot>
class CudaSteps
{
public:
    CudaSteps(Config const& config, CudaParticles& particles, CudaForces<P, Slot>& forces,
              CudaTiming& timing, cudaStream_t stream, Notify notify);

    /// The forces' layout, or memory, is another: nothing that was captured holds.
    void prepare(SoundRules const& rules);

    /// Lists and forces of the particles as they are; blocks.
    void compute_forces_of(std::int64_t step, std::optional<ListPositions> build);

    /// Queues the first batch of the `steps` steps after `step`.
    void submit(std::int64_t step, std::int64_t steps);
    /// Waits for them, queueing the rest batch by batch.
    Outcome collect();

    // The stages of a step, queued in order: see engine/backend/step.hpp.
    void kick_and_drift();
    void update_neighbors();
    void compute_forces();
    void kick();

    /// Fills chunks for the consumers of a sample, where the steps' own rows never were in memory.
    /// They may not fit at first, and consumers cannot tell; blocks.
    void fill_chunks(std::int64_t step);

    /// What `queue(faults)` finds out; blocks.
    template <class Queue>
    cuda::StepFaults const& find(Queue const& queue)
    {
        gates_.forget_faults();
        queue(gates_.device_faults());
        gates_.read_back(0);
        return gates_.faults();
    }
    void fill(BackendReport& report) const;

private:
    /// A step that drifted but has no forces yet, and what it needs first.
    struct Pending
    {
        std::optional<ListPositions> rebuild;
    };

    void queue_batch();
    void queue_pending();
    void queue_steps();
    void queue_replay();
    void set_parameters();
    void queue_integrate(cuda::Kicks kicks, cuda::StepGate const& gate);
    void settle();
    void recover(std::uint32_t word, bool first);
    void report_row_growth();

    Config config_;
    Notify notify_;
    cudaStream_t stream_;
    CudaParticles& particles_;
    CudaForces<P, Slot>& forces_;
    CudaTiming& timing_;
    SoundRules rules_{};
    CudaGates gates_;
    CudaPace pace_;
    Graph replay_;  // CudaPace::replay_steps steps, for small systems

    std::int64_t step_ = 0;   // before the steps that were submitted
    std::int64_t asked_ = 0;  // how many those are
    std::int64_t done_ = 0;   // of them, complete but for the last kick
    std::int64_t batch_ = 0;  // steps of the batch that is queued
    std::optional<Pending> pending_;
    std::int64_t place_ = 0;  // of the step being queued, in its batch
    StreamUse overlap_ = StreamUse::streams;
    bool kick_waits_ = false;  // the last half kick of the step before is still to be done
    std::int64_t device_builds_ = 0, regrowths_ = 0;
};

}  // namespace tessera
