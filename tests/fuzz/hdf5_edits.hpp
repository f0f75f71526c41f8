#pragma once
/// HDF5 files made from a small right one by edits: a fuzz input is a list of them, so that what is
/// mutated are extents, types, values, links and attributes, and the file that results is HDF5.
///
///   input   HEAD byte[4] (what is done with the file: the target's), then edits of 8 bytes each
///   edit    object, operation, first, second: byte each; number: 32-bit, little-endian
///
/// `object` counts the groups, datasets and attributes of the right file, in the order of names.

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::fuzz
{

enum class Operation : std::uint8_t
{
    remove,
    make_scalar,
    make_null,        ///< a data space that holds nothing
    set_rank,         ///< first
    set_extent,       ///< axis first, to one of a list of extents: second
    set_type,         ///< first, in a list of types
    set_value,        ///< element number, to one of a list of values: second
    set_every_value,  ///< to that value
    set_byte,         ///< of the values: byte number, to first
    swap_values,      ///< elements first and second
    set_text,         ///< first, in a list of texts
    set_chunks,       ///< rows first; growable if second is odd
    set_filter,       ///< first, in a list of filters
    set_fill_value,   ///< second, in the list of values
    leave_unwritten,
    store_outside,  ///< raw values in another file
    make_virtual,   ///< values in a dataset of another file
    soft_link,      ///< to object first
    hard_link,      ///< to object first, which may be a group around it
    external_link,  ///< to object first of another file
    make_group,
    make_named_type,
    rename,      ///< to the name of object first
    add_twin,    ///< a second name, first in a list
    patch_byte,  ///< of the file: byte number, to first; taken where patches are asked for
    cut_file,    ///< to number bytes; likewise
    count
};

struct Edit
{
    std::uint8_t object = 0;
    Operation operation = Operation::remove;
    std::uint8_t first = 0, second = 0;
    std::uint32_t number = 0;
};

struct FuzzInput
{
    std::array<std::uint8_t, 4> head{};
    std::vector<Edit> edits;
};

/// What the bytes of a fuzz input say; an edit that is cut short is left out.
FuzzInput decode(std::span<std::uint8_t const> bytes);
std::vector<std::uint8_t> encode(FuzzInput const& input);

/// Changes the input by one field, edit or order of edits.
void mutate(FuzzInput& input, std::minstd_rand& random, bool patches);

/// A right file, its bytes in memory, with the names of all it holds.
class EditableFile
{
public:
    explicit EditableFile(std::string image);

    /// The bytes of the file with the edits made, one after the other; one that cannot be made is
    /// passed over.
    std::string edited(std::span<Edit const> edits, bool patches) const;

    /// The file that edits link to: "other.h5" beside it; and raw values: "values.bin".
    static constexpr char other_file[] = "other.h5";
    static constexpr char other_values[] = "values.bin";

private:
    std::string image_;
    std::vector<std::string> names_;  ///< paths; attributes as PATH@NAME
};

}  // namespace tessera::fuzz
