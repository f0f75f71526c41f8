#include "tools/info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "io/checkpoint.hpp"
#include "io/h5md_read.hpp"
#include "tools/input_fault.hpp"
#include "tools/verbs.hpp"

namespace tessera
{

namespace
{

void print_box(Box const& box)
{
    fmt::print("box         {} x {} x {}, {} {} {}\n", box.edges.x, box.edges.y, box.edges.z,
               box.periodic(0) ? "periodic" : "open", box.periodic(1) ? "periodic" : "open",
               box.periodic(2) ? "periodic" : "open");
}

void print_particles(State const& state)
{
    std::map<std::int32_t, std::int64_t> counts;
    for (std::int32_t const species : state.species)
    {
        ++counts[species];
    }
    fmt::print("particles   {}\n", state.particle_count());
    for (auto const& [species, count] : counts)
    {
        auto const index = static_cast<std::size_t>(species);
        bool const named = species >= 0 && index < state.species_names.size();
        bool const weighed = species >= 0 && index < state.species_mass.size();
        fmt::print("  species   {}: {} particles{}\n",
                   named ? state.species_names[index] : std::to_string(species), count,
                   weighed ? fmt::format(", mass {}", state.species_mass[index]) : "");
    }
}

void print_origin(RunInfo const& info)
{
    auto const line = [](char const* label, std::string const& text) {
        if (!text.empty())
        {
            fmt::print("{:<11} {}\n", label, text);
        }
    };
    line("version", info.version);
    line("device", info.device);
    line("build", info.build);
    line("random", info.random_numbers);
    if (!info.resolved_yaml.empty())
    {
        fmt::print("seed        {}\ninput\n{}", info.seed, info.resolved_yaml);
        fmt::print("{}", info.resolved_yaml.ends_with('\n') ? "" : "\n");
    }
}

int print_checkpoint(std::filesystem::path const& path)
{
    // the one that resuming would take, which may be the previous one
    LoadedCheckpoint const loaded = read_checkpoint(path);
    if (!loaded.notice.empty())
    {
        fmt::print("damaged     {}\n", loaded.notice);
    }
    State const& state = loaded.checkpoint.state;
    std::filesystem::path const used = loaded.notice.empty() ? path : previous_checkpoint(path);
    fmt::print("checkpoint  {}\nstep        {}\ntime        {}\n", used.string(), state.step,
               state.time);
    print_box(state.box);
    print_particles(state);
    if (!loaded.checkpoint.rdf.pairs.empty())
    {
        fmt::print("g(r)        {} samples, {} bins to {}\n", loaded.checkpoint.rdf.samples,
                   loaded.checkpoint.rdf.pairs.size(), loaded.checkpoint.rdf.range);
    }
    fmt::print("complete    {}\n", loaded.notice.empty() ? "yes, checksum right" : "no, see above");
    print_origin(read_checkpoint_info(used));
    return loaded.notice.empty() ? 0 : 1;
}

int print_trajectory(std::filesystem::path const& path)
{
    TrajectoryReader const reader(path);
    fmt::print("trajectory  {}\nwritten by  {}\n", path.string(), reader.creator());
    auto const steps = reader.steps();
    fmt::print("frames      {}", reader.frame_count());
    if (!steps.empty())
    {
        auto const times = reader.times();
        fmt::print(", steps {} to {}, time {} to {}", steps.front(), steps.back(), times.front(),
                   times.back());
    }
    fmt::print("\nfields      {}\n", fmt::join(reader.fields(), ", "));
    if (reader.frame_count() > 0)
    {
        State const last = reader.read(reader.frame_count() - 1);
        print_box(last.box);
        print_particles(last);
    }
    fmt::print("observables {}\n", fmt::join(reader.observables(), ", "));
    fmt::print("thermo      {} rows\n", reader.thermo_rows());
    fmt::print("g(r)        {} bins\n", reader.rdf().first.size());
    std::int64_t const extra = reader.present_frames() - reader.frame_count();
    fmt::print("complete    {}\n",
               extra == 0 ? "yes"
                          : fmt::format("no: {} frames after the last committed one were being "
                                        "written when the run ended; they are not used",
                                        extra));
    print_origin(reader.run_info());
    return extra == 0 ? 0 : 1;
}

}  // namespace

int run_info(std::filesystem::path const& path)
{
    return blame_input(
        [&] { return is_checkpoint(path) ? print_checkpoint(path) : print_trajectory(path); });
}

void add_info(CLI::App& app, int& exit_code)
{
    auto const path = std::make_shared<std::string>();
    CLI::App* const verb = app.add_subcommand(
        "info", "What a trajectory or checkpoint holds, how it was made, whether it is complete");
    verb->add_option("file", *path, "An H5MD trajectory or a checkpoint")
        ->required()
        ->check(CLI::ExistingFile);
    verb->callback([path, &exit_code] { exit_code = run_info(*path); });
}

}  // namespace tessera
