#include "tools/convert.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/files/file_identity.hpp"
#include "io/files/standard_streams.hpp"
#include "io/h5md/checkpoint.hpp"
#include "io/h5md/read.hpp"
#include "io/start/from_h5md.hpp"
#include "io/text/lammps_data.hpp"
#include "io/text/lammps_dump.hpp"
#include "io/text/xyz.hpp"
#include "tools/verb/input_fault.hpp"
#include "tools/verb/verbs.hpp"

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

/// Frames first, first + every, ... up to last.
struct FrameRange
{
    std::int64_t first = 0, last = 0, every = 1;
};

std::int64_t frame_number(std::string const& text, std::int64_t count)
{
    if (text == "first" || text == "last")
    {
        return text == "first" ? 0 : count - 1;
    }
    std::int64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
    {
        throw ConfigError(fmt::format("--frame {}: give a number from 0, first or last.", text));
    }
    return number;
}

/// The frames that are asked for, of `count` that are there.
FrameRange range_of(FrameChoice const& choice, std::string const& format, std::int64_t count)
{
    bool const ranged = choice.from || choice.to || choice.every != 1;
    if (!choice.frame.empty() && ranged)
    {
        throw ConfigError("--frame picks one frame; leave out --from, --to-frame and --every.");
    }
    if (format == "data" && ranged)
    {
        throw ConfigError("--to data: a data file holds one frame; pick it with --frame.");
    }
    FrameRange range{choice.from.value_or(0), choice.to.value_or(count - 1), choice.every};
    if (format == "data" || !choice.frame.empty())
    {
        range.first = range.last =
            frame_number(choice.frame.empty() ? "last" : choice.frame, count);
    }
    if (range.every < 1)
    {
        throw ConfigError(fmt::format("--every {}: give a number from 1.", range.every));
    }
    if (range.first < 0 || range.last >= count || range.first > range.last)
    {
        throw ConfigError(fmt::format("frames {} to {}: the file holds {}, counted from 0.",
                                      range.first, range.last, count));
    }
    return range;
}

/// The state of a frame under the names and masses of its file.
State named_state(StartFile file)
{
    State state = std::move(file.state);
    if (state.position.empty())
    {
        throw ConfigError(fmt::format("{}: the file holds no particles.", file.path));
    }
    state.species_names.clear();
    state.species_mass.clear();
    for (FileSpecies const& species : file.species)
    {
        state.species_names.push_back(species.name);
        if (species.mass)
        {
            state.species_mass.push_back(species.mass->value);
        }
    }
    if (state.species_mass.size() != state.species_names.size())
    {
        state.species_mass.clear();
    }
    return state;
}

void say_all(std::vector<std::string> const& notices)
{
    for (std::string const& notice : notices)
    {
        say(notice);
    }
}

/// What is converted: a trajectory, or a checkpoint as one frame.
class Source
{
public:
    explicit Source(std::filesystem::path const& path) : path_(path)
    {
        if (is_checkpoint(path))
        {
            checkpoint_ = read_checkpoint_start(path);
        }
        else
        {
            reader_.emplace(path);
        }
        if (frame_count() == 0)
        {
            throw ConfigError(
                fmt::format("{}: the trajectory holds no complete frame.", path.string()));
        }
    }

    std::int64_t frame_count() const
    {
        return reader_ ? reader_->frame_count() : 1;
    }

    StartFile read(std::int64_t frame) const
    {
        return reader_ ? read_h5md_frame(*reader_, path_, frame) : *checkpoint_;
    }

private:
    std::filesystem::path path_;
    std::optional<TrajectoryReader> reader_;
    std::optional<StartFile> checkpoint_;
};

}  // namespace

int run_convert(std::filesystem::path const& path, std::string const& format,
                std::filesystem::path output, FrameChoice const& choice)
{
    WriteFrame const write = writer_of(format);
    if (output.empty())
    {
        output = path;
        output.replace_extension(format);
    }
    Claims claims;
    claims.read("the file to convert", path);
    claims.write("-o", output);
    Source const source = blame_input([&] { return Source(path); });
    FrameRange const range = range_of(choice, format, source.frame_count());
    // The first frame is read before a file is made: what cannot be read leaves none.
    StartFile frame = blame_input([&] { return source.read(range.first); });
    say_all(frame.notices);
    State state = named_state(std::move(frame));
    auto out = blame_input([&] { return TextOutput(output, TextOutput::Mode::create); });
    try
    {
        write(out, state);
        for (std::int64_t next = range.first; next <= range.last - range.every;)
        {
            next += range.every;
            write(out, named_state(blame_input([&] { return source.read(next); })));
        }
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
        FrameChoice choice;
    };
    auto const options = std::make_shared<Options>();
    CLI::App* const verb =
        app.add_subcommand("convert", "Write a trajectory or checkpoint as text");
    verb->add_option("file", options->path, "An H5MD trajectory or a checkpoint")
        ->required()
        ->check(CLI::ExistingFile);
    verb->add_option("--to", options->format, "xyz, lammpstrj or data")->required();
    verb->add_option("-o,--output", options->output, "Default: FILE with the format's extension");
    verb->add_option("--frame", options->choice.frame,
                     "One frame: its number from 0, first or last; default: all, or last for data");
    verb->add_option("--from", options->choice.from, "The first frame of a range");
    verb->add_option("--to-frame", options->choice.to, "The last frame of a range");
    verb->add_option("--every", options->choice.every, "Every K-th frame of a range");
    verb->callback([options, &exit_code] {
        exit_code = run_convert(options->path, options->format, options->output, options->choice);
    });
}

}  // namespace tessera
