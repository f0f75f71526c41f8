#include "tools/run/summary.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "io/files/standard_streams.hpp"
#include "io/table/columns.hpp"
#include "io/yaml/enum_names.hpp"
#include "tools/verb/json_file.hpp"

namespace tessera
{
namespace
{

using Json = nlohmann::ordered_json;

std::int64_t steps_done(Simulation const& simulation)
{
    return simulation.state().step - simulation.first_observables().step;
}

double particle_steps_per_second(Simulation const& simulation)
{
    double const seconds = simulation.wall_seconds();
    return seconds > 0.0 ? static_cast<double>(simulation.state().particle_count()) *
                               static_cast<double>(steps_done(simulation)) / seconds
                         : 0.0;
}

/// Peak resident memory of this process [bytes].
std::int64_t peak_memory()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

Json observables_json(Observables const& o)
{
    Json json = {{"step", o.step}, {"momentum", {o.momentum.x, o.momentum.y, o.momentum.z}}};
    for (Column const& column : thermo_columns(o))
    {
        if (std::optional<double> const value = column.value(o))
        {
            json[std::string(column.thermo)] = *value;
        }
    }
    if (o.pressure_tensor)
    {
        json["pressure_tensor"] = *o.pressure_tensor;
    }
    return json;
}

Json drift_json(Observables const& first, Observables const& last)
{
    double const difference = last.total_energy - first.total_energy;
    auto const steps = static_cast<double>(last.step - first.step);
    return {{"per_particle", difference},
            {"per_particle_and_million_steps", steps > 0.0 ? 1e6 * difference / steps : 0.0}};
}

/// One step's chunks in their streams, in seconds from the start of its forces.
Json timeline_json(std::vector<ChunkSpan> const& timeline)
{
    Json spans = Json::array();
    for (ChunkSpan const& span : timeline)
    {
        spans.push_back({{"stage", span.stage == ChunkSpan::Stage::reorder ? "reorder"
                                   : span.stage == ChunkSpan::Stage::force ? "force"
                                                                           : "reorder and force"},
                         {"chunk", span.chunk},
                         {"stream", span.stream},
                         {"begin", span.begin},
                         {"end", span.end}});
    }
    return spans;
}

Json report_json(BackendReport const& report, double io_seconds)
{
    StageSeconds const& s = report.seconds;
    double const stages =
        s.sort + s.neighbor + s.reorder + s.force + s.integrate + s.observables + io_seconds;
    Json bytes;
    for (auto const& [name, size] : report.bytes)
    {
        bytes[name] = size;
    }
    return {{"seconds_by_stage",
             {{"sort", s.sort},
              {"neighbor", s.neighbor},
              {"reorder", s.reorder},
              {"force", s.force},
              {"integrate", s.integrate},
              {"observables", s.observables},
              {"io", io_seconds}}},
            {"reorder_share", stages > 0.0 ? s.reorder / stages : 0.0},
            {"hidden_reorder_share", report.hidden_reorder_share},
            {"timeline", timeline_json(report.timeline)},
            {"cache",
             {{"hits", report.cache.hits},
              {"misses", report.cache.misses},
              {"invalidations", report.cache.invalidations}}},
            {"rebuilds", report.rebuilds},
            {"regrowths", report.regrowths},
            {"neighbors_per_particle",
             {{"mean", report.mean_neighbors}, {"max", report.max_neighbors}}},
            {"bytes_by_array", bytes}};
}

}  // namespace

void check_summary_way(std::filesystem::path const& path, bool overwrite)
{
    check_json_way("--summary", path, {"version", "particles", "steps", "seconds_by_stage"},
                   overwrite);
}

void write_summary(std::filesystem::path const& path, Config const& config,
                   Simulation const& simulation)
{
    BackendReport const report = simulation.report();
    Json json = {{"version", TESSERA_VERSION},
                 {"particles", simulation.state().particle_count()},
                 {"steps", steps_done(simulation)},
                 {"device", report.device},
                 {"path", name_of(report.path)},
                 {"precision", name_of(report.precision)},
                 {"lanes", report.lanes},
                 {"rebuild", name_of(config.neighbor.rebuild)},
                 {"seed", config.system.seed},
                 {"wall_seconds", simulation.wall_seconds()},
                 {"particle_steps_per_second", particle_steps_per_second(simulation)},
                 {"peak_memory_bytes", peak_memory()}};
    json.update(report_json(report, simulation.io_seconds()));
    json["first_observables"] = observables_json(simulation.first_observables());
    json["final_observables"] = observables_json(simulation.last_observables());
    json["energy_drift"] =
        drift_json(simulation.first_observables(), simulation.last_observables());

    write_json("--summary", path, json, 2);
}

void print_summary(Simulation const& simulation)
{
    BackendReport const report = simulation.report();
    StageSeconds const& s = report.seconds;
    std::string const text = fmt::format(
        "{} steps of {} particles in {:.3g} s: {:.3g} steps/s, {:.4g} particle-steps/s on {}, path "
        "{}\n",
        steps_done(simulation), simulation.state().particle_count(), simulation.wall_seconds(),
        simulation.wall_seconds() > 0.0
            ? static_cast<double>(steps_done(simulation)) / simulation.wall_seconds()
            : 0.0,
        particle_steps_per_second(simulation), report.device, name_of(report.path));
    std::string const stages = fmt::format(
        "seconds: sort {:.3g}, neighbor {:.3g}, reorder {:.3g}, force {:.3g}, integrate {:.3g}, "
        "observables {:.3g}, io {:.3g}; chunk cache: {} hits, {} misses\n",
        s.sort, s.neighbor, s.reorder, s.force, s.integrate, s.observables, simulation.io_seconds(),
        report.cache.hits, report.cache.misses);
    print_out(text + stages);
}

}  // namespace tessera
