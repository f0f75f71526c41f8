#include "tools/convert.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <memory>

#include "engine/errors.hpp"
#include "io/checkpoint.hpp"
#include "io/h5md_read.hpp"
#include "io/lammps_data.hpp"
#include "io/lammps_dump.hpp"
#include "io/xyz.hpp"
#include "tools/input_fault.hpp"
#include "tools/verbs.hpp"

namespace tessera
{

namespace
{

using WriteFrame = void (*)(TextOutput&, State const&);

WriteFrame writer_of(std::string const& format)
{
    if (format == "xyz")
    {
        return write_xyz;
    }
    if (format == "lammpstrj")
    {
        return write_lammps_dump;
    }
    if (format == "data")
    {
        return write_lammps_data;
    }
    throw ConfigError(fmt::format("--to {}: the formats are xyz, lammpstrj and data.", format));
}

/// Text formats want a name and a mass for every species.
void complete_species(State& state)
{
    std::int32_t const highest = *std::max_element(state.species.begin(), state.species.end());
    if (*std::min_element(state.species.begin(), state.species.end()) < 0)
    {
        throw ConfigError("the file has negative species numbers.");
    }
    auto const count = static_cast<std::size_t>(highest) + 1;
    for (std::size_t species = state.species_names.size(); species < count; ++species)
    {
        state.species_names.push_back(std::to_string(species + 1));
    }
    state.species_mass.resize(state.species_names.size(), 1.0);
    // a species that no particle has may lack a mass in files of other programs
    std::replace(state.species_mass.begin(), state.species_mass.end(), 0.0, 1.0);
}

void write_frames(std::filesystem::path const& path, std::string const& format, TextOutput& out)
{
    WriteFrame const write = writer_of(format);
    auto const write_completed = [&](State state) {
        complete_species(state);
        write(out, state);
    };
    if (is_checkpoint(path))
    {
        write_completed(blame_input([&] { return read_checkpoint(path).checkpoint.state; }));
        return;
    }
    auto const reader = blame_input([&] { return TrajectoryReader(path); });
    std::int64_t const last = reader.frame_count() - 1;
    if (last < 0)
    {
        throw ConfigError(
            fmt::format("{}: the trajectory holds no complete frame.", path.string()));
    }
    for (std::int64_t frame = format == "data" ? last : 0; frame <= last; ++frame)
    {
        write_completed(blame_input([&] { return reader.read(frame); }));
    }
}

}  // namespace

int run_convert(std::filesystem::path const& path, std::string const& format,
                std::filesystem::path output)
{
    writer_of(format);
    if (output.empty())
    {
        output = path;
        output.replace_extension(format);
    }
    auto out = blame_input([&] { return TextOutput(output, TextOutput::Mode::create); });
    try
    {
        write_frames(path, format, out);
        out.close();
    }
    catch (std::exception const&)
    {
        // half a file would pass for a whole one
        std::error_code ignored;
        std::filesystem::remove(output, ignored);
        throw;
    }
    return 0;
}

void add_convert(CLI::App& app, int& exit_code)
{
    struct Options
    {
        std::string path, format, output;
    };
    auto const options = std::make_shared<Options>();
    CLI::App* const verb =
        app.add_subcommand("convert", "Write a trajectory or checkpoint as text");
    verb->add_option("file", options->path, "An H5MD trajectory or a checkpoint")
        ->required()
        ->check(CLI::ExistingFile);
    verb->add_option("--to", options->format, "xyz, lammpstrj or data")->required();
    verb->add_option("-o,--output", options->output, "Default: FILE with the format's extension");
    verb->callback([options, &exit_code] {
        exit_code = run_convert(options->path, options->format, options->output);
    });
}

}  // namespace tessera
