#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config.hpp"
#include "engine/state.hpp"
#include "io/hdf5_series.hpp"

namespace tessera::hdf5
{

/// The groups /particles/all and its series of frames; layout in io/h5md.hpp.
class FrameSeries
{
public:
    static FrameSeries create(Handle const& file, TrajectoryConfig const& config,
                              State const& state);
    /// Throws IoError unless the file holds exactly the fields of `config`.
    static FrameSeries open(Handle const& file, TrajectoryConfig const& config);

    /// Appends one frame. A position that rounds onto the upper face of a periodic axis is stored
    /// as 0 of the next image, so that position + image * edge stays continuous.
    void append(State const& state);
    void truncate(hsize_t frames);

    /// Of the first `frames` frames, those that have a step <= `last_step`.
    hsize_t frames_up_to(std::int64_t last_step, hsize_t frames) const;
    /// The step of the last frame, if there is one.
    std::optional<std::int64_t> last_step() const;
    hsize_t particles() const
    {
        return position_.shape()[1];
    }

    /// Bytes of one frame's values, before compression.
    std::uint64_t frame_bytes() const;

private:
    FrameSeries(Handle const& all, TrajectoryType dtype);

    void append_vectors(Series& series, std::vector<Vec3<double>> const& vectors);
    template <class T>
    void append_positions(State const& state);

    TrajectoryType dtype_;
    Series step_, time_, edges_, position_;
    std::optional<Series> image_, velocity_, force_;
    std::vector<Vec3<float>> floats_;  // staging
    std::vector<Vec3<double>> doubles_;
    std::vector<Vec3<std::int32_t>> images_;
};

}  // namespace tessera::hdf5
