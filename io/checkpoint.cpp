#include "io/checkpoint.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <utility>

#include "engine/errors.hpp"
#include "io/durable_file.hpp"
#include "io/h5md_parameters.hpp"
#include "io/hdf5_attributes.hpp"
#include "io/output_file.hpp"

namespace tessera
{

using namespace hdf5;

namespace
{

constexpr std::int32_t format_version = 1;
constexpr std::string_view trailer_mark = "TSCKPT01";
constexpr std::size_t trailer_size = 24;
using Trailer = std::array<std::byte, trailer_size>;

void put_number(std::byte* out, std::uint64_t number)
{
    for (int byte = 0; byte < 8; ++byte)
    {
        out[byte] = static_cast<std::byte>(number >> (8 * byte));
    }
}

Trailer make_trailer(std::span<std::byte const> body)
{
    Trailer trailer;
    std::memcpy(trailer.data(), trailer_mark.data(), trailer_mark.size());
    put_number(trailer.data() + 8, body.size());
    put_number(trailer.data() + 16, XXH3_64bits(body.data(), body.size()));
    return trailer;
}

/// The HDF5 part of a checkpoint's bytes, once mark, length and checksum are found right.
std::span<std::byte const> verified_body(std::span<std::byte const> bytes)
{
    char const* const problem = "it is no checkpoint, or cut off at its end";
    if (bytes.size() < trailer_size)
    {
        throw IoError(problem);
    }
    std::span<std::byte const> const body = bytes.first(bytes.size() - trailer_size);
    std::byte const* const found = bytes.data() + body.size();
    if (std::memcmp(found, trailer_mark.data(), trailer_mark.size()) != 0)
    {
        throw IoError(problem);
    }
    if (std::memcmp(found, make_trailer(body).data(), trailer_size) != 0)
    {
        throw IoError("its checksum is wrong: the file has been altered or damaged");
    }
    return body;
}

template <class T>
void write_vectors(Handle const& group, char const* name, std::vector<Vec3<T>> const& vectors)
{
    static_assert(sizeof(Vec3<T>) == 3 * sizeof(T));
    write_dataset(group, name, native_type<T>(), {vectors.size(), 3}, vectors.data());
}

template <class T>
std::vector<Vec3<T>> read_vectors(Handle const& group, char const* name)
{
    Handle const dataset = open_dataset(group, name);
    Shape const shape = shape_of(dataset);
    if (shape.size() != 2 || shape[1] != 3)
    {
        throw IoError(fmt::format("{} is not of shape [particle][3]", name));
    }
    std::vector<Vec3<T>> vectors(shape[0]);
    read_rows(dataset, native_type<T>(), 0, shape[0], vectors.data());
    return vectors;
}

void write_state(Handle const& file, State const& state)
{
    Handle const group = create_group(file, "state");
    write_attribute(group, "step", state.step);
    write_attribute(group, "time", state.time);
    Vec3<double> const edges = state.box.edges;
    write_attribute(group, "edges", std::vector<double>{edges.x, edges.y, edges.z});
    write_attribute(group, "boundary", boundary_names(state.box));
    write_attribute(group, "species_names", state.species_names);
    write_attribute(group, "species_masses", state.species_mass);
    write_array<std::int64_t>(group, "id", state.id, {state.id.size()});
    write_array<std::int32_t>(group, "species", state.species, {state.species.size()});
    write_vectors(group, "position", state.position);
    write_vectors(group, "image", state.image);
    write_vectors(group, "velocity", state.velocity);
    write_vectors(group, "force", state.force);
    write_vectors(group, "list_position", state.list_position);
}

State read_state(Handle const& file)
{
    Handle const group = open_group(file, "state");
    State state;
    state.step = read_attribute<std::int64_t>(group, "step").at(0);
    state.time = read_attribute<double>(group, "time").at(0);
    auto const edges = read_attribute<double>(group, "edges");
    state.box.edges = {edges.at(0), edges.at(1), edges.at(2)};
    state.box.boundary = boundary_of(read_text_attribute(group, "boundary"));
    state.species_names = read_text_attribute(group, "species_names");
    state.species_mass = read_attribute<double>(group, "species_masses");
    state.id = read_array<std::int64_t>(group, "id");
    state.species = read_array<std::int32_t>(group, "species");
    state.position = read_vectors<double>(group, "position");
    state.image = read_vectors<std::int32_t>(group, "image");
    state.velocity = read_vectors<double>(group, "velocity");
    state.force = read_vectors<double>(group, "force");
    state.list_position = read_vectors<double>(group, "list_position");
    return state;
}

void write_rdf(Handle const& file, Rdf const& rdf)
{
    Handle const group = create_group(file, "rdf");
    write_attribute(group, "range", rdf.range);
    write_attribute(group, "samples", rdf.samples);
    write_attribute(group, "pair_density_sum", rdf.pair_density_sum);
    write_array<std::uint64_t>(group, "pairs", rdf.pairs, {rdf.pairs.size()});
}

Rdf read_rdf(Handle const& file)
{
    Handle const group = open_group(file, "rdf");
    Rdf rdf;
    rdf.range = read_attribute<double>(group, "range").at(0);
    rdf.samples = read_attribute<std::int64_t>(group, "samples").at(0);
    rdf.pair_density_sum = read_attribute<double>(group, "pair_density_sum").at(0);
    rdf.pairs = read_array<std::uint64_t>(group, "pairs");
    return rdf;
}

/// Reads with `read` from the verified HDF5 part of the file at `path`.
template <class Read>
auto with_verified(std::filesystem::path const& path, Read const& read)
{
    std::vector<std::byte> const bytes = read_bytes(path);
    Handle const file = open_file_image(verified_body(bytes));
    Handle const root = open_group(file, "/");
    std::int32_t const version = read_attribute<std::int32_t>(root, "format_version").at(0);
    if (version != format_version)
    {
        throw IoError(fmt::format("its format is version {}, this program reads version {}",
                                  version, format_version));
    }
    return read(file);
}

LoadedCheckpoint load(std::filesystem::path const& path)
{
    return with_verified(path, [](Handle const& file) {
        RunInfo info = read_parameters(file);
        return LoadedCheckpoint{
            {read_state(file), read_rdf(file)}, info.resolved_yaml, std::move(info), {}};
    });
}

}  // namespace

void write_checkpoint(std::filesystem::path const& path, Checkpoint const& checkpoint,
                      RunInfo const& info)
{
    std::vector<std::byte> body;
    {
        Handle const file = create_memory_file();
        write_attribute(open_group(file, "/"), "format_version", format_version);
        write_state(file, checkpoint.state);
        write_rdf(file, checkpoint.rdf);
        write_parameters(file, info, checkpoint.state);
        body = file_image(file);
    }
    Trailer const trailer = make_trailer(body);
    std::array<std::span<std::byte const>, 2> const parts{body, trailer};
    replace_durably(path, previous_checkpoint(path), parts);
}

LoadedCheckpoint read_checkpoint(std::filesystem::path const& path)
{
    std::string reason;
    try
    {
        return load(path);
    }
    catch (IoError const& error)
    {
        reason = error.what();
    }
    std::filesystem::path const previous = previous_checkpoint(path);
    if (!std::filesystem::exists(previous))
    {
        throw IoError(fmt::format("cannot use the checkpoint {}: {}. There is no earlier one ({}).",
                                  path.string(), reason, previous.string()));
    }
    try
    {
        LoadedCheckpoint loaded = load(previous);
        loaded.notice = fmt::format(
            "cannot use the checkpoint {}: {}. Going on from the one before it, {}, at step {}.",
            path.string(), reason, previous.string(), loaded.checkpoint.state.step);
        return loaded;
    }
    catch (IoError const& error)
    {
        throw IoError(fmt::format("cannot use the checkpoint {}: {}; nor the one before it, {}: {}",
                                  path.string(), reason, previous.string(), error.what()));
    }
}

std::filesystem::path previous_checkpoint(std::filesystem::path const& path)
{
    std::filesystem::path name = path.stem();
    name += ".prev";
    name += path.extension();
    return path.parent_path() / name;
}

void make_way_for_checkpoints(std::filesystem::path const& path, bool overwrite)
{
    make_way(path, overwrite);
    make_way(previous_checkpoint(path), overwrite);
}

RunInfo read_checkpoint_info(std::filesystem::path const& path)
{
    try
    {
        return with_verified(path, [](Handle const& file) { return read_parameters(file); });
    }
    catch (IoError const& error)
    {
        throw IoError(fmt::format("cannot use the checkpoint {}: {}", path.string(), error.what()));
    }
}

bool is_checkpoint(std::filesystem::path const& path)
{
    std::ifstream file(path, std::ios::binary);
    std::array<char, trailer_mark.size()> mark{};
    file.seekg(-static_cast<std::streamoff>(trailer_size), std::ios::end);
    file.read(mark.data(), mark.size());
    return file.good() && std::string_view(mark.data(), mark.size()) == trailer_mark;
}

}  // namespace tessera
