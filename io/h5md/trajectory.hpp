#pragma once
/// Trajectories in H5MD 1.1 (de Buyl, Colberg and Hoefling, Comput. Phys. Commun. 185, 1546
/// (2014)), reduced units, frames in id order:
///
///   /h5md                        version {1, 1}; author, creator
///   /h5md/modules/thermodynamics version {1, 0}
///   /particles/all/box           dimension 3, boundary[3]; edges: value[frame][3][3]
///   /particles/all/position      value[frame][particle][3], step[frame] int64, time[frame] double
///   /particles/all/image         value[frame][particle][3] int32: unwrapped = position + image * L
///   /particles/all/velocity, force     on request, like position
///   /particles/all/species[particle] int32, mass[particle] double, id[particle] int64
///   /observables/NAME            value[frame], energies per particle; pressure_tensor
///                                [frame][3][3]
///   /parameters                  seed, run_id, version, device, build, random_numbers,
///                                species_names and species_masses as attributes; input_yaml,
///                                committed_frames
///   /parameters/changes          [byte] uint8: UTF-8 text, what resumed runs changed of the input
///   /parameters/thermo/COLUMN    [row] the rows of the thermo output
///   /parameters/rdf/{r,value}    [bin] g(r)
///
/// Every step and time is a hard link to those of position.
///
/// Killed at any instant, a run leaves a file that opens. It gets its name once all its groups and
/// datasets are in it; from then on only rows are added, in the order of io/hdf5/ordered.hpp. A
/// frame is committed, then counted in committed_frames: readers take those that are counted, and
/// at most one more, of some datasets, is there. A resumed run lowers the count, then drops frames.
/// That holds for the earliest file format; later ones and SWMR do not open without repair after a
/// kill (HDF5 1.10.8).

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/simulation.hpp"
#include "io/files/run_info.hpp"
#include "io/table/columns.hpp"

namespace tessera
{

/// Writes one trajectory. Every member throws IoError; after the first failed write the frames
/// committed so far are intact, and nothing more is written to the file, not even on closing.
class TrajectoryWriter
{
public:
    /// Starts a file with no frames. `first` gives particles, species and box; an existing file is
    /// refused unless `overwrite`. Until it is complete it is PATH's folder/.NAME.new.
    TrajectoryWriter(std::filesystem::path path, TrajectoryConfig const& config,
                     RunInfo const& info, State const& first, bool overwrite,
                     Observables const& quantities = {});

    /// Whether resume() may go on with a file from `state`: one that this program wrote and whose
    /// layout and counts are sound, with the fields of `config`, the particles and quantities of a
    /// run from `state` and, as far as both tell, the run id of `info`. Throws IoError if not;
    /// changes nothing either way. The file is read in a process of its own first
    /// (io/hdf5/probe.hpp).
    static void check_resume(std::filesystem::path const& path, TrajectoryConfig const& config,
                             State const& state, RunInfo const& info,
                             Observables const& quantities = {});

    /// Goes on with a file: keeps its committed frames and thermo rows of steps <= `last_step` and
    /// drops the others and g(r). Nothing is dropped unless layout and fields are those of
    /// check_resume(), which the caller calls first.
    static TrajectoryWriter resume(std::filesystem::path path, TrajectoryConfig const& config,
                                   std::int64_t last_step);

    TrajectoryWriter(TrajectoryWriter&&) noexcept;
    TrajectoryWriter& operator=(TrajectoryWriter&&) noexcept;
    /// Closes; errors go unseen, so call close() first.
    ~TrajectoryWriter();

    /// Appends and commits a frame; one whose step is there already is skipped.
    void write(Frame const& frame);
    /// Adds a row to /parameters/thermo; rows reach the disk with the next frame, with every 512th
    /// row, with flush(), and on closing. A row whose step is there already is skipped.
    void append_thermo(Observables const& observables);
    /// Writes the rows that wait: before a checkpoint, from which they would not be made again.
    void flush();
    /// Adds lines to /parameters/changes; a file of an older version, which has no place for them,
    /// stays without.
    void record_changes(std::string const& lines);
    /// Stores g(r) [bin] at bin centers [sigma], replacing an earlier one.
    void write_rdf(std::vector<double> const& radius, std::vector<double> const& value);
    void close();

    std::int64_t committed_frames() const;

private:
    class File;
    TrajectoryWriter(std::filesystem::path path, std::unique_ptr<File> file);
    template <class Action>
    void guard(Action const& action);

    std::filesystem::path path_;
    std::unique_ptr<File> file_;
    std::int64_t committed_frames_ = 0;
};

}  // namespace tessera
