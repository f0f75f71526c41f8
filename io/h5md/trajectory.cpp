#include "io/h5md/trajectory.hpp"

#include <fmt/format.h>

#include <optional>
#include <system_error>

#include "engine/config/errors.hpp"
#include "io/files/durable_file.hpp"
#include "io/files/output_file.hpp"
#include "io/h5md/frames.hpp"
#include "io/h5md/observables.hpp"
#include "io/h5md/parameters.hpp"
#include "io/h5md/resume.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/ordered.hpp"
#include "io/hdf5/probe.hpp"

namespace tessera
{

using namespace hdf5;

namespace
{

void write_h5md_group(Handle const& file, RunInfo const& info)
{
    Handle const h5md = create_group(file, "h5md");
    write_attribute(h5md, "version", std::vector<std::int32_t>{1, 1});
    write_attribute(create_group(h5md, "author"), "name", info.author);
    Handle const creator = create_group(h5md, "creator");
    write_attribute(creator, "name", std::string("tessera"));
    write_attribute(creator, "version", info.version);
    Handle const modules = create_group(h5md, "modules");
    write_attribute(create_group(modules, "thermodynamics"), "version",
                    std::vector<std::int32_t>{1, 0});
}

/// What species, mass and id take a particle.
constexpr std::uint64_t static_bytes = 20;
/// More than the indices, scalars and thermo rows of one frame: about 25 datasets, each at most a
/// chunk of 4.6 KB and a few index nodes of 3 KB.
constexpr std::uint64_t index_bytes = std::uint64_t{1} << 20;

/// Changes of an input are few.
constexpr hsize_t change_chunk_bytes = 512;

std::optional<Series> open_changes(Handle const& file)
{
    Handle const parameters = open_group(file, "parameters");
    return exists(parameters, "changes")
               ? std::optional(Series::open(parameters, "changes", H5T_STD_U8LE, {}))
               : std::nullopt;
}

/// Drops what came after `last_step`, in a session of its own: see io/hdf5/ordered.hpp.
void drop_after(std::filesystem::path const& path, TrajectoryConfig const& config,
                std::int64_t last_step)
{
    Handle file = open_file(path, Access::shrink);
    {
        CommittedFrames committed = CommittedFrames::open(file);
        FrameSeries frames = FrameSeries::open(file, config, committed.count());
        ObservableSeries observables = ObservableSeries::open(file, committed.count());
        ThermoSeries thermo = ThermoSeries::open(file);
        RdfSeries rdf = RdfSeries::open(file);
        hsize_t const kept = frames.frames_up_to(last_step);
        committed.write(static_cast<std::int64_t>(kept));
        commit(file);
        frames.truncate(kept);
        observables.truncate(kept);
        thermo.truncate_after(last_step);
        rdf.truncate();
        commit(file);
    }
    file.close("close the shortened file");
}

}  // namespace

/// The open file with its series; members close in reverse order, the file last.
class TrajectoryWriter::File
{
public:
    File(Handle file, TrajectoryConfig const& config, RunInfo const& info, State const& first,
         Observables const& quantities)
        : file_(started(std::move(file), info, first)),
          committed_(CommittedFrames::create(file_)),
          frames_(FrameSeries::create(file_, config, first)),
          observables_(ObservableSeries::create(file_, columns_of(quantities, first.box))),
          thermo_(ThermoSeries::create(file_, columns_of(quantities, first.box))),
          rdf_(RdfSeries::create(file_)),
          changes_(Series::create(open_group(file_, "parameters"), "changes", H5T_STD_U8LE, {},
                                  {change_chunk_bytes}, Compression::none))
    {
        commit(file_);
    }

    File(std::filesystem::path const& path, TrajectoryConfig const& config)
        : file_(open_file(path, Access::grow)),
          committed_(CommittedFrames::open(file_)),
          frames_(FrameSeries::open(file_, config, committed_.count())),
          observables_(ObservableSeries::open(file_, committed_.count())),
          thermo_(ThermoSeries::open(file_)),
          rdf_(RdfSeries::open(file_)),
          changes_(open_changes(file_))
    {
    }

    std::int64_t frame_count() const
    {
        return committed_.count();
    }
    std::optional<std::int64_t> last_step() const
    {
        return frames_.last_step();
    }

    void append(Frame const& frame)
    {
        reserve(file_, frames_.frame_bytes() + frames_.frame_bytes() / 64 + index_bytes);
        frames_.append(frame.state);
        observables_.append(frame.observables, frame.state.particle_count());
        thermo_.flush();
        commit(file_);
        committed_.write(committed_.count() + 1);
        commit(file_);
    }

    void append_thermo(Observables const& observables)
    {
        if (thermo_.append(observables))
        {
            flush();
        }
    }

    void write_rdf(std::vector<double> const& radius, std::vector<double> const& value)
    {
        reserve(file_, 2 * sizeof(double) * radius.size() + index_bytes);
        rdf_.write(radius, value);
        commit(file_);
    }

    void record_changes(std::string const& lines)
    {
        if (changes_ && !lines.empty())
        {
            reserve(file_, lines.size() + index_bytes);
            changes_->append(H5T_NATIVE_UINT8, lines.data(), lines.size());
            commit(file_);
        }
    }

    void flush()
    {
        if (thermo_.waits())
        {
            reserve(file_, index_bytes);
            thermo_.flush();
            commit(file_);
        }
    }

    /// All is on disk after this; what the handles still hold is nothing but memory.
    void finish()
    {
        flush();
        commit(file_);
    }

private:
    static Handle started(Handle file, RunInfo const& info, State const& first)
    {
        reserve(file, first.position.size() * static_bytes + index_bytes);
        write_h5md_group(file, info);
        write_parameters(file, info, first);
        return file;
    }
    static Observables columns_of(Observables quantities, Box const& box)
    {
        if (has_volume(box))
        {
            quantities.pressure = quantities.density = 0.0;
            quantities.pressure_tensor.emplace();
        }
        return quantities;
    }

    Handle file_;
    CommittedFrames committed_;
    FrameSeries frames_;
    ObservableSeries observables_;
    ThermoSeries thermo_;
    RdfSeries rdf_;
    std::optional<Series> changes_;  ///< none in files of older versions
};

/// Names the file in every error. After a failure the handles are dropped without closing: the
/// library would write again, and what it holds of this file is in doubt.
template <class Action>
void TrajectoryWriter::guard(Action const& action)
{
    if (file_ == nullptr)
    {
        throw IoError(
            fmt::format("{}: nothing more is written to it, since it is closed or "
                        "failed before.",
                        path_.string()));
    }
    try
    {
        action();
        committed_frames_ = file_->frame_count();
    }
    catch (IoError const& error)
    {
        committed_frames_ = file_->frame_count();
        // never destroyed, and yet in sight of whatever looks for leaks
        static auto& abandoned = *new std::vector<std::unique_ptr<File>>;
        abandoned.push_back(std::move(file_));
        throw IoError(fmt::format("{}: {} The {} frames before are intact.", path_.string(),
                                  error.what(), committed_frames_));
    }
}

TrajectoryWriter::TrajectoryWriter(std::filesystem::path path, std::unique_ptr<File> file)
    : path_(std::move(path)), file_(std::move(file)), committed_frames_(file_->frame_count())
{
}

TrajectoryWriter::TrajectoryWriter(std::filesystem::path path, TrajectoryConfig const& config,
                                   RunInfo const& info, State const& first, bool overwrite,
                                   Observables const& quantities)
    : path_(std::move(path))
{
    check_way(path_, overwrite);
    std::filesystem::path const aside = aside_name(path_);
    remove_aside(aside);
    try
    {
        file_ = std::make_unique<File>(create_file(aside), config, info, first, quantities);
        publish(aside, path_, overwrite ? Existing::replace : Existing::refuse);
    }
    catch (IoError const& error)
    {
        std::error_code ignored;
        std::filesystem::remove(aside, ignored);
        throw IoError(
            fmt::format("cannot start the trajectory {}: {}", path_.string(), error.what()));
    }
}

/// Names the file in what `action` throws.
template <class Action>
auto continuing(std::filesystem::path const& path, Action const& action)
{
    try
    {
        return action();
    }
    catch (IoError const& error)
    {
        throw IoError(
            fmt::format("cannot continue the trajectory {}: {}", path.string(), error.what()));
    }
}

void TrajectoryWriter::check_resume(std::filesystem::path const& path,
                                    TrajectoryConfig const& config, State const& state,
                                    RunInfo const& info, Observables const& quantities)
{
    continuing(path, [&] {
        probe(path, [&] { check_continuable(path, config, state.step); });
        check_continuable(path, config, state.step);
        check_same_run(path, state, info, quantities);
    });
}

TrajectoryWriter TrajectoryWriter::resume(std::filesystem::path path,
                                          TrajectoryConfig const& config, std::int64_t last_step)
{
    return continuing(path, [&]() -> TrajectoryWriter {
        check_continuable(path, config, last_step);
        drop_after(path, config, last_step);
        auto file = std::make_unique<File>(path, config);
        return {path, std::move(file)};
    });
}

TrajectoryWriter::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;
TrajectoryWriter& TrajectoryWriter::operator=(TrajectoryWriter&&) noexcept = default;

TrajectoryWriter::~TrajectoryWriter()
{
    try
    {
        close();
    }
    catch (IoError const&)
    {
        // documented: a caller who wants to know calls close()
    }
}

void TrajectoryWriter::write(Frame const& frame)
{
    guard([&] {
        auto const last = file_->last_step();
        if (!last || frame.state.step > *last)
        {
            file_->append(frame);
        }
    });
}

void TrajectoryWriter::append_thermo(Observables const& observables)
{
    guard([&] { file_->append_thermo(observables); });
}

void TrajectoryWriter::record_changes(std::string const& lines)
{
    guard([&] { file_->record_changes(lines); });
}

void TrajectoryWriter::flush()
{
    guard([&] { file_->flush(); });
}

void TrajectoryWriter::write_rdf(std::vector<double> const& radius,
                                 std::vector<double> const& value)
{
    guard([&] { file_->write_rdf(radius, value); });
}

void TrajectoryWriter::close()
{
    if (file_ != nullptr)
    {
        guard([&] { file_->finish(); });
        file_.reset();
    }
}

std::int64_t TrajectoryWriter::committed_frames() const
{
    return committed_frames_;
}

}  // namespace tessera
