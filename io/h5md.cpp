#include "io/h5md.hpp"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "engine/errors.hpp"
#include "io/h5md_frames.hpp"
#include "io/h5md_observables.hpp"
#include "io/h5md_parameters.hpp"
#include "io/hdf5_attributes.hpp"
#include "io/output_file.hpp"

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

}  // namespace

/// The open file with its series; members close in reverse order, the file last.
class TrajectoryWriter::File
{
public:
    File(Handle file, TrajectoryConfig const& config, RunInfo const& info, State const& first)
        : file_(reserved(std::move(file), first.position.size() * static_bytes)),
          frames_(FrameSeries::create(file_, config, first))
    {
        write_h5md_group(file_, info);
        Handle const parameters = write_parameters(file_, info, first);
        std::int64_t const none = 0;
        write_array<std::int64_t>(parameters, "committed_frames", {&none, 1}, {});
        committed_ = open_dataset(parameters, "committed_frames");
        flush();
    }

    File(std::filesystem::path const& path, TrajectoryConfig const& config, std::int64_t last_step)
        : file_(open_file(path, Access::read_write)),
          frames_(FrameSeries::open(file_, config)),
          observables_(ObservableSeries::open(file_)),
          thermo_(ThermoSeries::open(file_, last_step)),
          committed_(open_dataset(file_, "parameters/committed_frames"))
    {
        std::int64_t committed = 0;
        read_rows(committed_, native_type<std::int64_t>(), 0, 1, &committed);
        auto const kept = frames_.frames_up_to(last_step, static_cast<hsize_t>(committed));
        commit(static_cast<std::int64_t>(kept));
        frames_.truncate(kept);
        observables_.truncate(kept);
        flush();
        frame_count_ = static_cast<std::int64_t>(kept);
    }

    std::int64_t frame_count() const
    {
        return frame_count_;
    }
    std::optional<std::int64_t> last_step() const
    {
        return frames_.last_step();
    }

    void append(Frame const& frame)
    {
        reserve(file_, frames_.frame_bytes() + frames_.frame_bytes() / 64 + index_bytes);
        frames_.append(frame.state);
        observables_.append(file_, frame.observables, frame.state.particle_count(),
                            frame.state.density());
        thermo_.flush(file_);
        flush();
        commit(frame_count_ + 1);
        ++frame_count_;
    }

    void append_thermo(Observables const& observables)
    {
        if (thermo_.append(observables))
        {
            reserve(file_, index_bytes);
            thermo_.flush(file_);
            flush();
        }
    }

    void write_rdf(std::vector<double> const& radius, std::vector<double> const& value)
    {
        reserve(file_, 2 * sizeof(double) * radius.size() + index_bytes);
        bool const there = exists(file_, "parameters/rdf");
        Handle const group =
            there ? open_group(file_, "parameters/rdf") : create_group(file_, "parameters/rdf");
        for (char const* name : {"r", "value"})
        {
            if (there)
            {
                check(H5Ldelete(group.get(), name, H5P_DEFAULT), "replace g(r)");
            }
        }
        write_array<double>(group, "r", radius, {radius.size()});
        write_array<double>(group, "value", value, {value.size()});
        flush();
    }

    /// All is on disk after this; what the handles still hold is nothing but memory.
    void finish()
    {
        reserve(file_, index_bytes);
        thermo_.flush(file_);
        flush();
        trim(file_);
    }

private:
    static Handle reserved(Handle file, std::uint64_t bytes)
    {
        reserve(file, bytes + index_bytes);
        return file;
    }
    void flush()
    {
        check(H5Fflush(file_.get(), H5F_SCOPE_LOCAL), "flush the file");
    }
    /// The counter must not reach the disk before what it counts: flush() comes before.
    void commit(std::int64_t frames)
    {
        check(H5Dwrite(committed_.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &frames),
              "count a frame");
        flush();
    }

    Handle file_;
    FrameSeries frames_;
    ObservableSeries observables_;
    ThermoSeries thermo_;
    Handle committed_;
    std::int64_t frame_count_ = 0;
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
        [[maybe_unused]] auto* const abandoned = file_.release();
        throw IoError(fmt::format("{}: {} The {} frames before are intact.", path_.string(),
                                  error.what(), committed_frames_));
    }
}

TrajectoryWriter::TrajectoryWriter(std::filesystem::path path, std::unique_ptr<File> file)
    : path_(std::move(path)), file_(std::move(file)), committed_frames_(file_->frame_count())
{
}

TrajectoryWriter::TrajectoryWriter(std::filesystem::path path, TrajectoryConfig const& config,
                                   RunInfo const& info, State const& first, bool overwrite)
    : path_(std::move(path))
{
    make_way(path_, overwrite);
    try
    {
        file_ = std::make_unique<File>(create_file(path_), config, info, first);
    }
    catch (IoError const& error)
    {
        // a full disk leaves a stump; a file that came into being meanwhile is not ours
        if (std::string_view(error.what()).find("File exists") == std::string_view::npos)
        {
            std::error_code ignored;
            std::filesystem::remove(path_, ignored);
        }
        throw IoError(
            fmt::format("cannot start the trajectory {}: {}", path_.string(), error.what()));
    }
}

TrajectoryWriter TrajectoryWriter::resume(std::filesystem::path path,
                                          TrajectoryConfig const& config, std::int64_t last_step)
{
    try
    {
        auto file = std::make_unique<File>(path, config, last_step);
        return {std::move(path), std::move(file)};
    }
    catch (IoError const& error)
    {
        throw IoError(
            fmt::format("cannot continue the trajectory {}: {}", path.string(), error.what()));
    }
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
