#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/steps.hpp"
#include "engine/cuda/sums.hpp"

namespace tessera
{

/// The pipeline on one GPU. P is the form of positions (the precision), Slot the format of chunks.
/// Sums run in a fixed order: the same state gives the same bytes.
template <class P, class Slot>
class CudaBackend final : public Backend
{
public:
    CudaBackend(Config const& config, Plan const& plan, Notify notify);

    void load(State const& state) override;
    void submit(std::int64_t steps) override;
    Outcome collect() override;
    void recompute_forces(std::int64_t times, Reuse reuse) override;
    std::optional<std::int64_t> find_unsound() override;
    Sample sample() override;
    void count_pairs(std::vector<std::uint64_t>& pairs) override;
    void save(State& state) override;
    BackendReport report() const override;

private:
    void select_device() const;
    void prepare(ForcePath path);
    EnergySum sum_energies(Cut cut);
    PairMeans sum_pair_observables();
    void count_neighbors();

    Config config_;
    Plan plan_;
    Notify notify_;
    std::string device_;
    SoundRules rules_{};
    std::int64_t step_ = 0;
    double mean_neighbors_ = 0.0;
    std::int64_t max_neighbors_ = 0;

    Stream stream_;
    CudaTiming timing_;
    CudaParticles particles_;
    CudaForces<P, Slot> forces_;
    CudaSteps<P, Slot> steps_;
    CudaSums sums_;
};

}  // namespace tessera
