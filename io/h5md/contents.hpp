#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/state/state.hpp"
#include "io/h5md/elements.hpp"

namespace tessera::hdf5
{

/// An open H5MD file with the elements that states are read from: what TrajectoryReader of
/// io/h5md/read.hpp is made of, and what it promises. Every member throws IoError.
class TrajectoryContents
{
public:
    explicit TrajectoryContents(std::filesystem::path const& path);

    State read(std::int64_t frame) const;
    template <class T>
    std::vector<T> clock(std::string const& name, std::int64_t first, std::int64_t count) const
    {
        return read_clock<T>(open_group(all, "position"), name, first, count);
    }
    std::string creator() const;
    /// Throws IoError if a file of this program lacks something of the frames that it counts.
    void check_whole() const;

    Handle file, all;
    std::int64_t present = 0, particles = 0, counted = 0, committed = 0;

private:
    std::int64_t counted_frames() const;
    void check_series(Handle const& group) const;
    void read_species(State& state, std::int64_t frame) const;

    std::optional<Element> position_, image_, velocity_, force_, edges_, id_, species_, mass_;
};

}  // namespace tessera::hdf5
