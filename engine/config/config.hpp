#pragma once
/// The resolved input: plain aggregates whose defaults are the documented defaults.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/config/errors.hpp"
#include "kernels/arithmetic/box.hpp"
#include "kernels/arithmetic/pair_potential.hpp"

namespace tessera
{

enum class LatticeType
{
    sc,
    bcc,
    fcc,
    hcp
};

struct LatticeConfig
{
    LatticeType type = LatticeType::fcc;
    Vec3<std::int64_t> cells{1, 1, 1};  ///< unit cells per axis, > 0
    double density = 0.0;               ///< particles per volume [sigma^-3], > 0
};

struct RandomConfig
{
    std::int64_t count = 0;     ///< particles, > 0
    double density = 0.0;       ///< [sigma^-3], > 0
    double min_distance = 0.9;  ///< no two particles closer than this [sigma], >= 0
};

struct FileConfig
{
    std::filesystem::path path;         ///< .h5/.h5md, .xyz/.extxyz, .data/.lmp
    std::optional<std::int64_t> frame;  ///< 0-based frame of the file; empty: the last
};

using StartConfig = std::variant<LatticeConfig, RandomConfig, FileConfig>;

/// More would make the table of pairs larger than any cache.
inline constexpr std::size_t max_species = 256;

struct SpeciesConfig
{
    std::string name;
    double mass = 1.0;               ///< [m], > 0
    std::optional<double> fraction;  ///< share of the particles, lattice and random starts only
};

struct SystemConfig
{
    StartConfig start = LatticeConfig{};
    std::vector<SpeciesConfig> species{{"A", 1.0, std::nullopt}};
    std::optional<double> temperature;  ///< [epsilon/k], >= 0; empty (files only): keep velocities
    std::uint64_t seed = 1;
    Vec3<Boundary> boundary{Boundary::periodic, Boundary::periodic, Boundary::periodic};
};

enum class Mixing
{
    none,
    lorentz_berthelot,
    geometric,
    waldman_hagler
};

struct PairConfig
{
    std::string first, second;                                 ///< species names, any order
    double epsilon = 1.0;                                      ///< [epsilon], >= 0
    double sigma = 1.0;                                        ///< [sigma], > 0
    std::optional<double> cutoff;                              ///< [sigma]; empty: the potential's
    std::optional<double> n = std::nullopt, m = std::nullopt;  ///< likewise, mie only
};

struct PotentialConfig
{
    PotentialType type = PotentialType::lennard_jones;
    std::optional<double> n = std::nullopt, m = std::nullopt;  ///< exponents, mie only: n > m > 3
    double cutoff = 2.5;                                       ///< [sigma], > 0
    Truncation truncation = Truncation::sharp;
    double switch_on = 0.0;  ///< [sigma], in (0, cutoff), Truncation::switched only
    bool tail_correction = false;
    Mixing mixing = Mixing::none;
    std::vector<PairConfig> pairs{{"A", "A", 1.0, 1.0, std::nullopt}};
};

enum class Rebuild
{
    every_step,
    on_displacement
};

struct NeighborConfig
{
    Rebuild rebuild = Rebuild::every_step;
    double skin = 0.3;  ///< [sigma], >= 0; must be > 0 for on_displacement
};

enum class ForcePath
{
    reordered,
    gather,
    shoc,
    automatic
};

enum class Precision
{
    mixed,
    double_,
    single
};

struct ForceConfig
{
    ForcePath path = ForcePath::reordered;
    Precision precision = Precision::mixed;
    /// Adjacent GPU threads that share one particle's row: 1, 2, 4, 8 or 16; empty: chosen by the
    /// number of particles. The path shoc always has 1; a CPU run ignores it.
    std::optional<int> lanes = std::nullopt;
};

/// How a chunk stores a neighbor's displacement; precision double always stores doubles.
enum class ChunkFormat
{
    packed,
    plain
};

struct ReorderConfig
{
    int streams = 2;                              ///< 1 to 16; a CPU run has one and ignores it
    std::optional<std::int64_t> chunk_particles;  ///< empty: chosen; a positive multiple of 32
    ChunkFormat format = ChunkFormat::packed;
};

enum class EnsembleType
{
    nve
};

struct EnsembleConfig
{
    EnsembleType type = EnsembleType::nve;
};

struct RunConfig
{
    std::int64_t steps = 0;          ///< >= 0
    double dt = 0.005;               ///< [tau], > 0
    std::optional<double> walltime;  ///< [s], > 0
};

enum class Field
{
    position,
    image,
    velocity,
    force
};

enum class TrajectoryType
{
    float32,
    float64
};

struct TrajectoryConfig
{
    std::filesystem::path file;
    std::int64_t every = 0;  ///< > 0
    std::vector<Field> fields{Field::position, Field::image};
    TrajectoryType dtype = TrajectoryType::float32;
    bool compress = false;  ///< shuffle and deflate 1
};

struct ThermoConfig
{
    std::filesystem::path file;  ///< empty: only the table on stdout
    std::int64_t every = 100;    ///< > 0
    /// Neighbors of a particle within this distance are counted [sigma], up to the smallest cutoff.
    std::optional<double> coordination = std::nullopt;
};

struct CheckpointConfig
{
    std::filesystem::path file;
    std::optional<std::int64_t> every;  ///< steps, > 0; empty: only at the end
    std::optional<double> wall_every;   ///< [s], > 0
};

/// g(r) up to the cutoff, averaged over samples.
struct RdfConfig
{
    std::filesystem::path file;
    std::int64_t every = 100;  ///< > 0
    int bins = 250;            ///< 1 to 100000
    std::int64_t start = 0;    ///< >= 0; the multiples of `every` from this step on are sampled
};

struct OutputConfig
{
    std::optional<TrajectoryConfig> trajectory;
    std::optional<ThermoConfig> thermo;
    std::optional<CheckpointConfig> checkpoint;
    std::optional<RdfConfig> rdf;
    bool overwrite = false;
};

enum class DeviceType
{
    automatic,
    cpu,
    cuda
};

struct DeviceConfig
{
    DeviceType type = DeviceType::automatic;
    int index = 0;  ///< which CUDA device
};

struct Config
{
    SystemConfig system;
    PotentialConfig potential;
    NeighborConfig neighbor;
    ForceConfig force;
    ReorderConfig reorder;
    EnsembleConfig ensemble;
    RunConfig run;
    OutputConfig output;
    DeviceConfig device;
    int threads = 0;  ///< 0: as many as the machine has
};

/// Faults that show only with the box known: periodic edges shorter than twice the largest pair
/// cutoff [sigma]. Needs the pairs to be complete.
std::vector<Problem> check_box(Config const& config, Box const& box);

/// What every state that meets a config must pass, wherever it is from: throws ConfigError with all
/// that check_box() finds.
void require_box(Config const& config, Box const& box);

/// One pair of species with its coefficients, after mixing.
using ResolvedPair = PairParameters;

/// The symmetric table [species][species] after mixing, row-major.
/// Throws ConfigError if a pair is missing and no mixing rule is given.
std::vector<ResolvedPair> resolve_pairs(Config const& config);

/// The largest pair cutoff [sigma].
double max_cutoff(Config const& config);

/// The smallest pair cutoff [sigma]: up to here every list and chunk holds every pair, so it is the
/// range of g(r).
double min_cutoff(Config const& config);

}  // namespace tessera
