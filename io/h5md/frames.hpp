#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/state/state.hpp"
#include "io/hdf5/series.hpp"

namespace tessera::hdf5
{

/// The dataset /parameters/committed_frames. It must not reach the disk before what it counts, nor
/// after what is dropped: commit() comes before and after.
class CommittedFrames
{
public:
    static CommittedFrames create(Handle const& file);
    static CommittedFrames open(Handle const& file);

    std::int64_t count() const
    {
        return count_;
    }
    void write(std::int64_t count);

private:
    CommittedFrames(Handle dataset, std::int64_t count);

    Handle dataset_;
    std::int64_t count_;
};

/// The groups /particles/all and its series of frames; layout in io/h5md/trajectory.hpp.
class FrameSeries
{
public:
    static FrameSeries create(Handle const& file, TrajectoryConfig const& config,
                              State const& state);
    /// Throws IoError unless the file holds exactly the fields of `config`, laid out as create()
    /// does it, and in all of them the frames that are committed, their steps ascending.
    static FrameSeries open(Handle const& file, TrajectoryConfig const& config,
                            std::int64_t committed);

    /// Appends one frame. A position that rounds onto the upper face of a periodic axis is stored
    /// as 0 of the next image, so that position + image * edge stays continuous.
    void append(State const& state);
    void truncate(hsize_t frames);

    /// Of the frames that were committed when the file was opened, those with a step <=
    /// `last_step`.
    hsize_t frames_up_to(std::int64_t last_step) const;
    /// The step of the last frame, if there is one.
    std::optional<std::int64_t> last_step() const
    {
        return last_step_;
    }
    hsize_t particles() const
    {
        return position_.shape()[1];
    }

    /// Reads that frame and forgets it, to see that it can be read.
    void read_row(hsize_t frame) const;

    /// Bytes of one frame's values, before compression.
    std::uint64_t frame_bytes() const;

    std::vector<Series const*> series() const;

private:
    FrameSeries(Handle const& all, TrajectoryType dtype, hsize_t particles);

    void append_vectors(Series& series, std::vector<Vec3<double>> const& vectors);
    template <class T>
    void append_positions(State const& state);

    TrajectoryType dtype_;
    Series step_, time_, edges_, position_;
    std::optional<Series> image_, velocity_, force_;
    std::vector<std::int64_t> steps_;  // that were there when the file was opened
    std::optional<std::int64_t> last_step_;
    std::vector<Vec3<float>> floats_;  // staging
    std::vector<Vec3<double>> doubles_;
    std::vector<Vec3<std::int32_t>> images_;
};

}  // namespace tessera::hdf5
