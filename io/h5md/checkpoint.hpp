#pragma once
/// Checkpoints: everything to go on, exact to the bit, as an HDF5 file with a checksum behind it.
///
///   /            format_version = 1
///   /state       step, time, edges[3], boundary[3], species_names, species_masses as attributes;
///                id[N] int64, species[N] int32, position, velocity, force [N][3] double,
///                image[N][3] int32, list_position [N or 0][3] double
///   /rdf         range, samples, pair_density_sum as attributes; pairs[bin] uint64
///   /parameters  as in io/h5md/trajectory.hpp
///   last 24 bytes of the file: "TSCKPT01", then the length of the HDF5 part and its XXH3-64, both
///                little-endian 64-bit. HDF5 ignores them; read_checkpoint() checks them before it
///                lets HDF5 see a byte, since HDF5 can crash on damaged files.
///
/// A checkpoint is made in memory, written to .NAME.new, synced and renamed to NAME; what was NAME
/// becomes NAME with .prev before its extension (melt.ckpt.h5, melt.ckpt.prev.h5). At every instant
/// one of the two is whole: what is NAME is read again before it replaces the previous one, and is
/// dropped if it is damaged.
///
/// A right checksum does not make a state right: what is read is checked
/// (io/h5md/checkpoint_check.hpp), and what does not pass is not written either.

#include <filesystem>
#include <string>

#include "engine/simulation.hpp"
#include "io/files/run_info.hpp"

namespace tessera
{

struct LoadedCheckpoint
{
    Checkpoint checkpoint;
    std::string resolved_yaml;
    RunInfo info;
    /// Not empty if the previous checkpoint was taken: why, for the user.
    std::string notice;
};

/// Throws IoError if it cannot be written or is not sound (the earlier checkpoints are then
/// untouched).
void write_checkpoint(std::filesystem::path const& path, Checkpoint const& checkpoint,
                      RunInfo const& info);

/// Reads a checkpoint, or the previous one if it is missing, truncated, altered or no state to go
/// on from. Throws IoError with both reasons if neither can be used.
LoadedCheckpoint read_checkpoint(std::filesystem::path const& path);

/// Where the checkpoint before the last is kept.
std::filesystem::path previous_checkpoint(std::filesystem::path const& path);

/// Before the first checkpoint of a new run: refuses to touch checkpoints that are there unless
/// `overwrite`, and then removes both, so that no other run's state can be taken for this one's.
void make_way_for_checkpoints(std::filesystem::path const& path, bool overwrite);

/// How a checkpoint was made; throws IoError as read_checkpoint() does, without trying another.
RunInfo read_checkpoint_info(std::filesystem::path const& path);

/// Whether the file ends like a checkpoint; it may be damaged before that.
bool is_checkpoint(std::filesystem::path const& path);

}  // namespace tessera
