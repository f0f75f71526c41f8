#include "io/h5md/checkpoint.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <new>
#include <span>
#include <utility>

#include "engine/config/errors.hpp"
#include "io/files/durable_file.hpp"
#include "io/files/output_file.hpp"
#include "io/h5md/checkpoint_check.hpp"
#include "io/h5md/checkpoint_trailer.hpp"
#include "io/h5md/parameters.hpp"
#include "io/hdf5/attributes.hpp"
#include "io/hdf5/numbers.hpp"
#include "io/hdf5/probe.hpp"
#include "io/yaml/document.hpp"

namespace tessera
{

using namespace hdf5;

namespace
{

constexpr std::int32_t format_version = 1;

template <class T>
void write_vectors(Handle const& group, char const* name, std::vector<Vec3<T>> const& vectors)
{
    static_assert(sizeof(Vec3<T>) == 3 * sizeof(T));
    write_dataset(group, name, native_type<T>(), {vectors.size(), 3}, vectors.data());
}

template <class T>
std::vector<T> read_row(Handle const& group, char const* name)
{
    Numbers const numbers = Numbers::open(group, name);
    if (numbers.shape().size() != 1)
    {
        throw IoError(fmt::format("{} is not of shape [particle]", name));
    }
    return numbers.all<T>();
}

template <class T>
std::vector<Vec3<T>> read_vectors(Handle const& group, char const* name)
{
    Numbers const numbers = Numbers::open(group, name);
    if (numbers.shape().size() != 2 || numbers.row_size() != 3)
    {
        throw IoError(fmt::format("{} is not of shape [particle][3]", name));
    }
    std::vector<Vec3<T>> vectors(numbers.rows());
    if (!vectors.empty())
    {
        numbers.read<T>(0, numbers.rows(), std::span<T>(&vectors.front().x, 3 * vectors.size()));
    }
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
    state.step = read_attribute_number<std::int64_t>(group, "step");
    state.time = read_attribute_number<double>(group, "time");
    auto const edges = read_attribute<double>(group, "edges", 3);
    if (edges.size() != 3)
    {
        throw IoError(fmt::format("it has {} box edges, not 3", edges.size()));
    }
    state.box.edges = {edges[0], edges[1], edges[2]};
    state.box.boundary = boundary_of(read_text_attribute(group, "boundary", 3));
    read_species_table(group, state);
    state.id = read_row<std::int64_t>(group, "id");
    state.species = read_row<std::int32_t>(group, "species");
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
    rdf.range = read_attribute_number<double>(group, "range");
    rdf.samples = read_attribute_number<std::int64_t>(group, "samples");
    rdf.pair_density_sum = read_attribute_number<double>(group, "pair_density_sum");
    rdf.pairs = read_row<std::uint64_t>(group, "pairs");
    return rdf;
}

/// The reason without its full stop, to be part of a sentence.
std::string reason_of(IoError const& error)
{
    std::string reason = error.what();
    while (reason.ends_with('.'))
    {
        reason.pop_back();
    }
    return reason;
}

/// Whether the file comes from outside, or was looked at before.
enum class Origin
{
    foreign,
    known
};

/// Reads with `read` from the verified HDF5 part of the file at `path`. Throws IoError for
/// everything that can go wrong.
template <class Read>
auto with_verified(std::filesystem::path const& path, Origin origin, Read const& read)
{
    auto const read_body = [&](std::span<std::byte const> body) {
        Handle const file = open_file_image(body);
        Handle const root = open_group(file, "/");
        auto const version = read_attribute_number<std::int32_t>(root, "format_version");
        if (version != format_version)
        {
            throw IoError(fmt::format("its format is version {}, this program reads version {}",
                                      version, format_version));
        }
        return read(file);
    };
    try
    {
        std::vector<std::byte> const bytes = read_bytes(path);
        std::span<std::byte const> const body = verified_body(bytes);
        if (origin == Origin::foreign)
        {
            probe(path, [&] { read_body(body); });
        }
        return read_body(body);
    }
    catch (std::bad_alloc const&)
    {
        throw IoError("there is not enough memory to read it");
    }
}

LoadedCheckpoint load(std::filesystem::path const& path, Origin origin)
{
    return with_verified(path, origin, [](Handle const& file) {
        RunInfo info = read_parameters(file);
        LoadedCheckpoint loaded{
            {read_state(file), read_rdf(file)}, info.resolved_yaml, std::move(info), {}};
        require_sound(loaded.checkpoint);
        auto const document = parse_document(loaded.resolved_yaml, "input_yaml");
        if (!loaded.resolved_yaml.empty() && !document.faults.empty())
        {
            throw IoError("the input that it holds is no YAML");
        }
        return loaded;
    });
}

/// What this process wrote last to a path.
std::map<std::filesystem::path, Trailer>& written_here()
{
    static std::map<std::filesystem::path, Trailer> written;
    return written;
}

/// Whether what is at `path` is worth keeping as the previous checkpoint. What this process wrote
/// was sound, so its checksum tells; anything else is read in full.
bool is_good(std::filesystem::path const& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
    {
        return false;
    }
    try
    {
        auto const written = written_here().find(path);
        if (written == written_here().end())
        {
            load(path, Origin::known);
        }
        else
        {
            verify_stored(path, written->second);
        }
        return true;
    }
    catch (IoError const&)
    {
        return false;
    }
}

}  // namespace

void write_checkpoint(std::filesystem::path const& path, Checkpoint const& checkpoint,
                      RunInfo const& info)
{
    try
    {
        require_sound(checkpoint);
    }
    catch (IoError const& error)
    {
        throw IoError(fmt::format("no checkpoint is written to {}: {}. The one before is kept.",
                                  path.string(), reason_of(error)));
    }
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
    // a damaged one must not take the place of a whole one
    Earlier const earlier = is_good(path) ? Earlier::keep : Earlier::drop;
    replace_durably(path, previous_checkpoint(path), earlier, parts);
    written_here()[path] = trailer;
}

LoadedCheckpoint read_checkpoint(std::filesystem::path const& path)
{
    std::string reason;
    try
    {
        return load(path, Origin::foreign);
    }
    catch (IoError const& error)
    {
        reason = reason_of(error);
    }
    std::filesystem::path const previous = previous_checkpoint(path);
    if (!std::filesystem::exists(previous))
    {
        throw IoError(fmt::format("cannot use the checkpoint {}: {}. There is no earlier one ({}).",
                                  path.string(), reason, previous.string()));
    }
    try
    {
        LoadedCheckpoint loaded = load(previous, Origin::foreign);
        loaded.notice = fmt::format(
            "cannot use the checkpoint {}: {}. Going on from the one before it, {}, at step {}.",
            path.string(), reason, previous.string(), loaded.checkpoint.state.step);
        return loaded;
    }
    catch (IoError const& error)
    {
        throw IoError(fmt::format("cannot use the checkpoint {}: {}; nor the one before it, {}: {}",
                                  path.string(), reason, previous.string(), reason_of(error)));
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
        return with_verified(path, Origin::foreign,
                             [](Handle const& file) { return read_parameters(file); });
    }
    catch (IoError const& error)
    {
        throw IoError(
            fmt::format("cannot use the checkpoint {}: {}", path.string(), reason_of(error)));
    }
}

bool is_checkpoint(std::filesystem::path const& path)
{
    return has_trailer(path);
}

}  // namespace tessera
