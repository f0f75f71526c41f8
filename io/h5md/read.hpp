#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/config/errors.hpp"
#include "engine/state/state.hpp"
#include "io/files/run_info.hpp"

namespace tessera
{

/// A file that begins as HDF5 files do, or a checkpoint, that was cut off or damaged.
struct DamagedFile : IoError
{
    using IoError::IoError;
};

/// Reads H5MD: trajectories of io/h5md/trajectory.hpp and those of other programs that keep to
/// H5MD 1.0 or 1.1, with an orthogonal box. The particles are those of the first group under
/// /particles that has positions.
///
/// Files may come from anybody: one that leads to other files, declares more than it holds or makes
/// the HDF5 library fail is refused (io/hdf5/numbers.hpp, io/hdf5/links.hpp, io/hdf5/probe.hpp).
/// A file that a run is writing can be read; frames that come later are not seen.
///
/// Every member throws IoError naming the file, and DamagedFile where it can tell.
class TrajectoryReader
{
public:
    explicit TrajectoryReader(std::filesystem::path path);
    TrajectoryReader(TrajectoryReader&&) noexcept;
    TrajectoryReader& operator=(TrajectoryReader&&) noexcept;
    ~TrajectoryReader();

    /// Frames that can be trusted: those committed, or all where the file does not count them.
    std::int64_t frame_count() const;
    /// Rows of positions in the file; more than frame_count() after a killed run.
    std::int64_t present_frames() const;
    std::int64_t particle_count() const;

    /// One frame, 0-based, in the order and with the positions of the file (not wrapped).
    ///
    /// Edges are finite and above 0, species numbers below that of the names, or below 65536.
    ///
    /// What the file lacks: image, velocity and force are empty, id becomes 1..N, species 0,
    /// boundary periodic. species_names is empty if the file does not name species, and
    /// species_mass then holds the masses where all particles of a species agree, else nothing.
    State read(std::int64_t frame) const;

    /// Step and time of the trusted frames.
    std::vector<std::int64_t> steps() const;
    std::vector<double> times() const;

    /// One number a particle in a frame, such as its mass; none if the file has no such element.
    std::vector<double> scalars(std::string const& name, std::int64_t frame) const;
    /// The names that the type of `species`, if it is an enumeration, gives to numbers.
    std::vector<std::pair<std::int64_t, std::string>> species_labels() const;
    /// Whether the file says which axes are periodic.
    bool states_boundary() const;
    /// Names of what is in the file itself, of the groups in /particles that hold anything of
    /// particles, and of what is in the group that is read.
    std::vector<std::string> root_groups() const;
    std::vector<std::string> particle_groups() const;
    std::vector<std::string> elements() const;

    /// "position float32", "image int32", ...: what is there for each frame.
    std::vector<std::string> fields() const;
    /// Names under /observables.
    std::vector<std::string> observables() const;
    /// Rows of /parameters/thermo.
    std::int64_t thermo_rows() const;
    /// g(r): bin centers [sigma] and values; both empty if the file has none.
    std::pair<std::vector<double>, std::vector<double>> rdf() const;
    /// Name and version of the program that wrote the file.
    std::string creator() const;
    RunInfo run_info() const;
    /// What is wrong with a file of this program whose frames can be read; empty if nothing is.
    std::string damage() const;

private:
    class File;
    struct Unprobed
    {
    };
    TrajectoryReader(std::filesystem::path path, Unprobed);
    void read_through() const;
    template <class Action>
    auto named(Action const& action) const;

    std::filesystem::path path_;
    std::unique_ptr<File> file_;
};

}  // namespace tessera
