#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/observables.hpp"
#include "engine/state/state.hpp"

namespace tessera
{

/// Wall seconds spent in each stage of the step.
struct StageSeconds
{
    double sort = 0.0, neighbor = 0.0, reorder = 0.0, force = 0.0, integrate = 0.0,
           observables = 0.0;
};

/// What the chunk cache was asked and did, counted in chunks.
struct CacheCounters
{
    std::int64_t hits = 0;           ///< consumed as it was
    std::int64_t misses = 0;         ///< reordered first
    std::int64_t invalidations = 0;  ///< valid entries made invalid by a change of positions
};

/// When one chunk was reordered, or consumed, in one step that was timed.
struct ChunkSpan
{
    enum class Stage
    {
        reorder,
        force,
        both  ///< rows that stay on the chip: one kernel
    };
    Stage stage;
    std::int64_t chunk;
    int stream;         ///< 0 is the force stream, then the reorder streams
    double begin, end;  ///< seconds since the forces of that step began
};

/// How a backend ran: for the summary.
struct BackendReport
{
    std::string device;
    ForcePath path = ForcePath::reordered;
    Precision precision = Precision::mixed;
    int threads = 0;
    int lanes = 1;  ///< GPU threads that share a particle's row; 1 on the CPU
    StageSeconds seconds;
    CacheCounters cache;
    std::int64_t rebuilds = 0;   ///< neighbor lists built from cells
    std::int64_t regrowths = 0;  ///< times a capacity was grown and the work redone
    double mean_neighbors =
        0.0;  ///< neighbors a particle within the cutoff (or in the Verlet list)
    std::int64_t max_neighbors = 0;
    double hidden_reorder_share = 0.0;  ///< of the reorder's time, covered by force kernels
    std::vector<ChunkSpan> timeline;    ///< of the last step whose streams were timed, on a GPU
    std::vector<std::pair<std::string, std::int64_t>> bytes;  ///< by array
};

/// What an evaluation of forces may take over from the one before it at the same positions.
enum class Reuse
{
    none,  ///< exact lists are pruned and chunks are reordered anew, as in every step
    valid  ///< exact lists and the chunks that are still valid are consumed as they are
};

/// How far steps came: the rest of those asked for is to be asked for again.
struct Outcome
{
    std::int64_t steps = 0;
};

/// Where a run is computed: owns the particles' memory and advances them.
///
/// The only polymorphic seam. Its verb is advance(steps), not one call a stage, so that a backend
/// can run many steps without coming back to the host; in two halves, so that the host can do
/// something else meanwhile.
class Backend
{
public:
    virtual ~Backend() = default;

    /// Takes over `state` and computes its forces, which need not be finite: see find_unsound().
    /// Throws ConfigError if there is too little memory, before any is taken.
    virtual void load(State const& state) = 0;

    /// Begins `steps` steps. A GPU computes them while the host goes on; the CPU backend does its
    /// work in collect(). Nothing else may be asked until then.
    virtual void submit(std::int64_t steps) = 0;

    /// Waits for the steps of submit(). Throws RunError naming id, step, position and speed if a
    /// particle breaks the runaway rule (kernels/motion/integrate.hpp); the backend is then not to
    /// be used again, and what was last saved is the last good state.
    virtual Outcome collect() = 0;

    Outcome advance(std::int64_t steps)
    {
        submit(steps);
        return collect();
    }

    /// Evaluates the forces at the present positions `times` times, one after the other, and waits
    /// for the last: to be timed. Nothing moves and the lists built from cells stay. Forces come
    /// out the same to the bit under Reuse::none; under Reuse::valid they may round otherwise,
    /// where steps take them from rows that never were in a chunk.
    virtual void recompute_forces(std::int64_t times, Reuse reuse) = 0;

    /// The lowest id of a particle whose present numbers are no result (is_sound() in
    /// kernels/motion/integrate.hpp). Two particles at one place are found by their forces.
    virtual std::optional<std::int64_t> find_unsound() = 0;

    /// Energies, virial and momentum at the present positions; consumes the chunks still valid.
    virtual Sample sample() = 0;

    /// Counts the pairs at the present positions into equal bins of [0, smallest pair cutoff),
    /// every pair once, and adds them to `pairs` [bin]; consumes the chunks still valid.
    virtual void count_pairs(std::vector<std::uint64_t>& pairs) = 0;

    /// Writes positions, images, velocities, forces and list positions into `state`, and the step.
    virtual void save(State& state) = 0;

    virtual BackendReport report() const = 0;
};

/// Says one line to the user (a warning, a choice made).
using Notify = std::function<void(std::string const&)>;

}  // namespace tessera
