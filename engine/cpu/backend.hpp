#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/backend/plan.hpp"
#include "engine/backend/potential_tables.hpp"
#include "engine/cpu/chunks.hpp"
#include "engine/cpu/lists.hpp"
#include "engine/cpu/particles.hpp"
#include "engine/state/soundness.hpp"
#include "kernels/force/force.hpp"

namespace tessera
{

/// The pipeline on CPU cores: the same lists, chunks, cache and consumers as on a GPU, plainly.
///
/// P is the form of positions (the precision), Slot the format of chunks. Results do not depend on
/// the number of threads: every sum over particles runs over slices in a fixed order.
template <class P, class Slot>
class CpuBackend final : public Backend
{
public:
    CpuBackend(Config const& config, Plan const& plan, Notify notify);

    void load(State const& state) override;
    void submit(std::int64_t steps) override;
    Outcome collect() override;
    void recompute_forces(std::int64_t times, Reuse reuse) override;
    std::optional<std::int64_t> find_unsound() override;
    Sample sample() override;
    void count_pairs(std::vector<std::uint64_t>& pairs) override;
    void save(State& state) override;
    BackendReport report() const override;

    // The stages of a step, in order: see engine/backend/step.hpp.
    void kick_and_drift();
    void update_neighbors();
    void compute_forces();
    void kick();

private:
    using Real = typename P::Real;

    void use_threads() const;

    /// Calls `use` with everything that holds neighbors: the list, or each chunk, by any thread.
    template <class Use>
    void for_each_source(Use const& use);
    EnergySum sum_energies(bool sharp);
    PairMeans sum_pair_observables();
    void prepare(ForcePath path);

    Config config_;
    Plan plan_;
    Notify notify_;
    ForcePath path_;
    int threads_;
    std::int64_t step_ = 0, submitted_ = 0;
    PotentialTables<Real> tables_;
    Particles particles_;
    CpuLists<P> lists_;
    CpuChunks<P, Slot> chunks_;
    SoundRules rules_{};
    double max_displacement_sq_ = 0.0;
    StageSeconds seconds_;
};

/// The CPU backend for the config's precision and chunk format.
std::unique_ptr<Backend> make_cpu_backend(Config const& config, Notify notify);

}  // namespace tessera
