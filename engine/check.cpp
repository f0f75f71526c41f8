#include "engine/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/config/machine.hpp"
#include "engine/config/pairs.hpp"
#include "engine/config/precision.hpp"
#include "engine/config/species_rules.hpp"
#include "engine/start/initial.hpp"
#include "engine/start/random_start.hpp"
#include "engine/state/clock.hpp"
#include "kernels/arithmetic/packing.hpp"

namespace tessera
{
namespace
{

using Problems = std::vector<Problem>;

bool positive(double value)
{
    return value > 0.0 && std::isfinite(value);
}

bool not_negative(double value)
{
    return value >= 0.0 && std::isfinite(value);
}

void require_positive(Problems& problems, std::string key, double value, std::string_view why)
{
    if (!positive(value))
    {
        problems.push_back(
            {std::move(key), fmt::format("is {}; {}; give a number above 0", value, why)});
    }
}

void require_positive(Problems& problems, std::string key, std::int64_t value, std::string_view why)
{
    if (value < 1)
    {
        problems.push_back(
            {std::move(key), fmt::format("is {}; {}; give a whole number from 1", value, why)});
    }
}

void require_not_negative(Problems& problems, std::string key, double value, std::string_view why)
{
    if (!not_negative(value))
    {
        problems.push_back(
            {std::move(key), fmt::format("is {}; {}; give 0 or a number above", value, why)});
    }
}

void check_count(Problems& problems, Config const& config, std::string key)
{
    std::int64_t const count = initial_particle_count(config);
    if (count > std::numeric_limits<std::int32_t>::max())
    {
        problems.push_back({std::move(key),
                            "makes more than 2147483647 particles; particles are "
                            "numbered with 32 bits in a run; make the system "
                            "smaller"});
    }
}

void check_lattice(Problems& problems, Config const& config, LatticeConfig const& lattice)
{
    bool cells_good = true;
    for (int axis = 0; axis < 3; ++axis)
    {
        require_positive(problems, fmt::format("system.lattice.cells.{}", axis),
                         lattice.cells[axis], "a box has cells along every axis");
        cells_good = cells_good && lattice.cells[axis] > 0;
    }
    require_positive(problems, "system.lattice.density", lattice.density,
                     "it is particles per volume");
    if (cells_good)
    {
        check_count(problems, config, "system.lattice.cells");
    }
}

void check_random(Problems& problems, Config const& config, RandomConfig const& random)
{
    require_positive(problems, "system.random.count", random.count, "a system has particles");
    require_positive(problems, "system.random.density", random.density,
                     "it is particles per volume");
    require_not_negative(problems, "system.random.min_distance", random.min_distance,
                         "it is a distance");
    check_count(problems, config, "system.random.count");
    double const d = random.min_distance;
    if (random.density * d * d * d > saturated_density)
    {
        problems.push_back(
            {"system.random.min_distance",
             fmt::format("is {}, which random placement cannot keep at density {}; lower the "
                         "density to {:.4g}, or the distance to {:.4g}, or start from a lattice",
                         d, random.density, feasible_density / (d * d * d),
                         std::cbrt(feasible_density / random.density))});
    }
}

void check_start(Problems& problems, Config const& config)
{
    SystemConfig const& system = config.system;
    bool const from_file = std::holds_alternative<FileConfig>(system.start);
    if (auto const* lattice = std::get_if<LatticeConfig>(&system.start))
    {
        check_lattice(problems, config, *lattice);
    }
    if (auto const* random = std::get_if<RandomConfig>(&system.start))
    {
        check_random(problems, config, *random);
    }
    if (system.temperature)
    {
        require_not_negative(problems, "system.temperature", *system.temperature,
                             "temperatures start at 0, which is at rest");
    }
    else if (!from_file)
    {
        problems.push_back({"system.temperature",
                            "is missing; a lattice or random start has no "
                            "velocities of its own; add one, 0 for rest"});
    }
}

void check_neighbor(Problems& problems, NeighborConfig const& neighbor)
{
    require_not_negative(problems, "neighbor.skin", neighbor.skin, "it is a length");
    if (neighbor.rebuild == Rebuild::on_displacement && neighbor.skin == 0.0)
    {
        problems.push_back({"neighbor.skin",
                            "is 0 with rebuild: on_displacement; the list would "
                            "be wrong after any motion; give a skin such as 0.3, "
                            "or rebuild every_step"});
    }
}

void check_force(Problems& problems, ForceConfig const& force)
{
    constexpr int allowed[] = {1, 2, 4, 8, 16};
    if (force.lanes &&
        std::find(std::begin(allowed), std::end(allowed), *force.lanes) == std::end(allowed))
    {
        problems.push_back(
            {"force.lanes", fmt::format("is {}; the lanes of a particle share a warp of 32; give "
                                        "1, 2, 4, 8 or 16, or auto",
                                        *force.lanes)});
    }
}

void check_reorder(Problems& problems, Config const& config)
{
    ReorderConfig const& reorder = config.reorder;
    if (reorder.streams < 1 || reorder.streams > 16)
    {
        problems.push_back({"reorder.streams", fmt::format("is {}; more streams than 16 never "
                                                           "help and 0 cannot work; give 1 to 16",
                                                           reorder.streams)});
    }
    if (reorder.chunk_particles &&
        (*reorder.chunk_particles < 1 || *reorder.chunk_particles % 32 != 0))
    {
        problems.push_back({"reorder.chunk_particles",
                            fmt::format("is {}; a chunk is made of slices of 32; give a positive "
                                        "multiple of 32, or auto",
                                        *reorder.chunk_particles)});
    }
    bool const uses_chunks =
        config.force.path == ForcePath::reordered || config.force.path == ForcePath::automatic;
    std::size_t const species = config.system.species.size();
    if (uses_chunks && config.force.precision != Precision::double_ &&
        reorder.format == ChunkFormat::packed && species > max_packed_species)
    {
        problems.push_back({"reorder.format",
                            fmt::format("is packed with {} species; a packed neighbor has room for "
                                        "{}; use format: float",
                                        species, max_packed_species)});
    }
}

void check_run(Problems& problems, Config const& config)
{
    Problems const length = check_length(config.run);
    problems.insert(problems.end(), length.begin(), length.end());
    if (config.run.walltime)
    {
        require_positive(problems, "run.walltime", *config.run.walltime, "it is a time limit");
    }
    if (config.threads < 0)
    {
        problems.push_back(
            {"threads", fmt::format("is {}; give a number from 1, or auto", config.threads)});
    }
    if (config.threads > most_threads())
    {
        problems.push_back(
            {"threads",
             fmt::format("is {}; more than {} threads only get in each other's way here; "
                         "give fewer, or auto",
                         config.threads, most_threads())});
    }
    if (config.device.index < 0)
    {
        problems.push_back({"device", fmt::format("has index {}; devices are numbered from 0",
                                                  config.device.index)});
    }
}

void check_trajectory(Problems& problems, TrajectoryConfig const& trajectory)
{
    require_positive(problems, "output.trajectory.every", trajectory.every, "it is an interval");
    auto const count = [&](Field field) {
        return std::count(trajectory.fields.begin(), trajectory.fields.end(), field);
    };
    if (count(Field::position) == 0)
    {
        problems.push_back({"output.trajectory.fields",
                            "has no position; no reader opens a "
                            "trajectory without; add position"});
    }
    for (Field const field : {Field::position, Field::image, Field::velocity, Field::force})
    {
        if (count(field) > 1)
        {
            problems.push_back({"output.trajectory.fields",
                                "names a field twice; each is written "
                                "once; remove one"});
        }
    }
}

void check_collisions(Problems& problems, Config const& config)
{
    OutputConfig const& output = config.output;
    std::vector<std::pair<std::string, std::filesystem::path>> files;
    auto const add = [&](std::string key, std::filesystem::path const& path) {
        if (path.empty())
        {
            return;
        }
        std::filesystem::path const normal = path.lexically_normal();
        for (auto const& [other_key, other] : files)
        {
            if (other == normal)
            {
                problems.push_back({key, fmt::format("'{}' is the file of {} too; one would "
                                                     "destroy the other; give it another name",
                                                     path.string(), other_key)});
                return;
            }
        }
        files.emplace_back(std::move(key), normal);
    };
    if (auto const* start = std::get_if<FileConfig>(&config.system.start))
    {
        add("system.file", start->path);
    }
    add("output.trajectory.file", output.trajectory ? output.trajectory->file : "");
    add("output.thermo.file", output.thermo ? output.thermo->file : "");
    add("output.checkpoint.file", output.checkpoint ? output.checkpoint->file : "");
    add("output.rdf.file", output.rdf ? output.rdf->file : "");
}

void check_coordination(Problems& problems, Config const& config)
{
    std::optional<double> const range = config.output.thermo->coordination;
    if (!range)
    {
        return;
    }
    require_positive(problems, "output.thermo.coordination", *range, "it is a distance");
    // Without all the pairs there is no smallest cutoff.
    double const most = check_potential(config).empty() ? min_cutoff(config)
                                                        : std::numeric_limits<double>::infinity();
    if (*range > most)
    {
        problems.push_back(
            {"output.thermo.coordination",
             fmt::format("is {}; neighbors are known up to the smallest cutoff, {}; give that or "
                         "less",
                         *range, most)});
    }
}

void check_output(Problems& problems, Config const& config)
{
    OutputConfig const& output = config.output;
    if (output.trajectory)
    {
        check_trajectory(problems, *output.trajectory);
    }
    if (output.thermo)
    {
        require_positive(problems, "output.thermo.every", output.thermo->every,
                         "it is an interval");
        check_coordination(problems, config);
    }
    if (output.checkpoint && output.checkpoint->every)
    {
        require_positive(problems, "output.checkpoint.every", *output.checkpoint->every,
                         "it is an interval");
    }
    if (output.checkpoint && output.checkpoint->wall_every)
    {
        require_positive(problems, "output.checkpoint.wall_every", *output.checkpoint->wall_every,
                         "it is an interval of time");
    }
    if (output.rdf)
    {
        require_positive(problems, "output.rdf.every", output.rdf->every, "it is an interval");
        if (output.rdf->bins < 1 || output.rdf->bins > 100000)
        {
            problems.push_back(
                {"output.rdf.bins", fmt::format("is {}; give 1 to 100000", output.rdf->bins)});
        }
        if (output.rdf->start < 0)
        {
            problems.push_back(
                {"output.rdf.start", fmt::format("is {}; give the first step to sample, 0 or later",
                                                 output.rdf->start)});
        }
    }
    check_collisions(problems, config);
}

}  // namespace

std::vector<Problem> check(Config const& config)
{
    Problems problems;
    check_start(problems, config);
    std::size_t const species = config.system.species.size();
    if (species > max_species)
    {
        problems.push_back({"system.species", fmt::format("has {} species; a table of pairs has "
                                                          "room for {}; use fewer",
                                                          species, max_species)});
    }
    else
    {
        Problems const kinds = check_species(config.system);
        problems.insert(problems.end(), kinds.begin(), kinds.end());
        Problems const potential = check_potential(config);
        problems.insert(problems.end(), potential.begin(), potential.end());
        Problems const unheld = potential.empty() ? check_precision(config) : Problems();
        problems.insert(problems.end(), unheld.begin(), unheld.end());
    }
    check_neighbor(problems, config.neighbor);
    check_force(problems, config.force);
    check_reorder(problems, config);
    check_run(problems, config);
    check_output(problems, config);
    return problems;
}

}  // namespace tessera
