#include "tools/info.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "io/files/printable.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/read.hpp"
#include "tools/verb/input_fault.hpp"
#include "tools/verb/verbs.hpp"

namespace tessera
{

namespace
{

constexpr std::size_t longest_line = 2000;
constexpr std::size_t most_names = 50;

/// Names of a file's groups: as many as a screen takes.
std::string list_of(std::vector<std::string> const& names)
{
    std::vector<std::string> shown;
    for (std::size_t index = 0; index < std::min(names.size(), most_names); ++index)
    {
        shown.push_back(printable(names[index]));
    }
    std::string const more = names.size() > most_names
                                 ? fmt::format(", and {} more", names.size() - most_names)
                                 : std::string();
    return fmt::format("{}{}", fmt::join(shown, ", "), more);
}

void print_lines(std::string const& text)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
    {
        fmt::print("{}\n", printable(line, longest_line));
    }
}

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
                   named ? printable(state.species_names[index]) : std::to_string(species), count,
                   weighed ? fmt::format(", mass {}", state.species_mass[index]) : "");
    }
}

void print_origin(RunInfo const& info)
{
    auto const line = [](char const* label, std::string const& text) {
        if (!text.empty())
        {
            fmt::print("{:<11} {}\n", label, printable(text, longest_line));
        }
    };
    line("version", info.version);
    line("device", info.device);
    line("build", info.build);
    line("random", info.random_numbers);
    line("run", info.run_id);
    if (!info.resolved_yaml.empty())
    {
        fmt::print("seed        {}\ninput\n", info.seed);
        print_lines(info.resolved_yaml);
    }
    if (!info.changes.empty())
    {
        fmt::print("changed\n");
        print_lines(info.changes);
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
    print_origin(loaded.info);
    return loaded.notice.empty() ? 0 : 1;
}

int print_trajectory(std::filesystem::path const& path)
{
    TrajectoryReader const reader(path);
    // everything is read before anything is printed: a file that is refused shows nothing
    auto const steps = reader.steps();
    auto const times = reader.times();
    auto const fields = reader.fields();
    auto const observables = reader.observables();
    std::optional<State> last;
    if (reader.frame_count() > 0)
    {
        last = reader.read(reader.frame_count() - 1);
    }
    auto const bins = reader.rdf().first.size();
    std::int64_t const rows = reader.thermo_rows();
    RunInfo const info = reader.run_info();
    std::string damage = reader.damage();
    std::int64_t const extra = reader.present_frames() - reader.frame_count();
    if (damage.empty() && extra > 0)
    {
        damage = fmt::format(
            "{} frames after the last committed one were being written when the run ended; they "
            "are not used",
            extra);
    }
    fmt::print("trajectory  {}\nwritten by  {}\nframes      {}", path.string(),
               printable(reader.creator()), reader.frame_count());
    if (!steps.empty())
    {
        fmt::print(", steps {} to {}, time {} to {}", steps.front(), steps.back(), times.front(),
                   times.back());
    }
    fmt::print("\nfields      {}\n", list_of(fields));
    if (last)
    {
        print_box(last->box);
        print_particles(*last);
    }
    fmt::print("observables {}\nthermo      {} rows\ng(r)        {} bins\n", list_of(observables),
               rows, bins);
    fmt::print("complete    {}\n", damage.empty() ? "yes" : "no: " + damage);
    print_origin(info);
    return damage.empty() ? 0 : 1;
}

}  // namespace

int run_info(std::filesystem::path const& path)
{
    return blame_input([&] {
        try
        {
            return is_checkpoint(path) ? print_checkpoint(path) : print_trajectory(path);
        }
        catch (DamagedFile const& error)
        {
            fmt::print("complete    no: {}\n", error.what());
            return 1;
        }
    });
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
