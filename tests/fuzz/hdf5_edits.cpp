#include "tests/fuzz/hdf5_edits.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "io/hdf5/links.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/hdf5_draft.hpp"

namespace tessera::fuzz
{

using namespace hdf5;

namespace
{

constexpr std::size_t edit_bytes = 8;
constexpr std::size_t most_edits = 16;
constexpr std::size_t least_file = 64;

template <class T, std::size_t count>
T pick(T const (&list)[count], std::size_t index)
{
    return list[index % count];
}

constexpr hsize_t extents[] = {0,
                               1,
                               2,
                               3,
                               4,
                               5,
                               6,
                               9,
                               31,
                               32,
                               33,
                               255,
                               0x10000,
                               0x7fffffff,
                               0x80000000,
                               0x100000000,
                               0x100000003,
                               0x10000000000,
                               0x2000000000000000,
                               0x7fffffffffffffff};

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
// 2^31 and 2^53 on both sides, and what 64 bits do not hold
constexpr double values[] = {0,           -0.0,
                             1,           -1,
                             2,           3,
                             0.5,         31,
                             32,          1e3,
                             1e6,         1e10,
                             1e-10,       1e-300,
                             5e-324,      1e300,
                             -1e300,      2147483647,
                             inf,         -inf,
                             nan,         9.3e18,
                             2147483648,  4294967296,
                             -2147483648, 9007199254740994,
                             -9.3e18,     1.9e19};

constexpr char const* texts[] = {
    "",     "A",       "periodic", "none",      "nonperiodic", "\xff\xfe", "\x1b[31mred\x1b[0m",
    "a\nb", "../../x", "system:",  "%s%n{}{0}", "\xc3\x28"};

void collect(Handle const& object, std::string const& path, std::vector<std::string>& names)
{
    names.push_back(path);
    auto const attribute = [](hid_t, char const* name, H5A_info_t const*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    std::vector<std::string> attributes;
    H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, attribute, &attributes);
    for (std::string const& name : attributes)
    {
        names.push_back(path + '@' + name);
    }
    if (H5Iget_type(object.get()) != H5I_GROUP)
    {
        return;
    }
    for (std::string const& name : links(object))
    {
        Handle const child(H5Oopen(object.get(), name.c_str(), H5P_DEFAULT), H5Oclose);
        collect(child, path == "/" ? path + name : path + '/' + name, names);
    }
}

/// Changes of what a draft says; false if the operation is none of them.
bool change_draft(Draft& draft, Edit const& edit)
{
    std::size_t const axis = draft.shape.empty() ? 0 : edit.first % draft.shape.size();
    switch (edit.operation)
    {
        case Operation::make_scalar:
            draft.shape.clear();
            break;
        case Operation::make_null:
            draft.space = Draft::Space::null;
            break;
        case Operation::set_rank:
            draft.shape.resize(edit.first % 6U, 1);
            break;
        case Operation::set_extent:
            draft.shape.resize(std::max<std::size_t>(draft.shape.size(), 1), 1);
            draft.shape[axis] = pick(extents, edit.second);
            break;
        case Operation::set_type:
            draft.set_type(edit.first);
            break;
        case Operation::set_value:
            draft.set_value(edit.number, pick(values, edit.second));
            break;
        case Operation::set_every_value:
            draft.set_every_value(pick(values, edit.second));
            break;
        case Operation::set_byte:
            draft.set_byte(edit.number, edit.first);
            break;
        case Operation::swap_values:
            draft.swap_values(edit.first, edit.second);
            break;
        case Operation::set_text:
            draft.set_text(pick(texts, edit.first));
            break;
        case Operation::set_chunks:
            draft.chunk_rows = 1 + edit.first % 8U;
            draft.growable = edit.second % 2 == 1;
            break;
        case Operation::set_filter:
            draft.filter = static_cast<int>(edit.first);
            break;
        case Operation::set_fill_value:
            draft.fill_value = pick(values, edit.second);
            break;
        case Operation::leave_unwritten:
            draft.written = false;
            break;
        case Operation::store_outside:
            draft.outside = EditableFile::other_values;
            break;
        case Operation::make_virtual:
            draft.virtual_file = EditableFile::other_file;
            break;
        default:
            return false;
    }
    return true;
}

/// Changes of the links of a file.
void change_links(Handle const& file, Edit const& edit, std::string const& name,
                  std::string const& target)
{
    constexpr char const* twins[] = {"/particles/0",   "/particles/all2",  "/particles/all/value",
                                     "/observables/x", "/state/velocity2", "/parameters/thermo/x"};
    if (edit.operation == Operation::add_twin)
    {
        H5Ocopy(file.get(), name.c_str(), file.get(), pick(twins, edit.first), H5P_DEFAULT,
                H5P_DEFAULT);
        return;
    }
    if (name == "/")
    {
        return;
    }
    if (edit.operation == Operation::rename)
    {
        H5Lmove(file.get(), name.c_str(), file.get(), target.c_str(), H5P_DEFAULT, H5P_DEFAULT);
        return;
    }
    H5Ldelete(file.get(), name.c_str(), H5P_DEFAULT);
    switch (edit.operation)
    {
        case Operation::soft_link:
            H5Lcreate_soft(target.c_str(), file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
            break;
        case Operation::hard_link:
            H5Lcreate_hard(file.get(), target.c_str(), file.get(), name.c_str(), H5P_DEFAULT,
                           H5P_DEFAULT);
            break;
        case Operation::external_link:
            H5Lcreate_external(EditableFile::other_file, target.c_str(), file.get(), name.c_str(),
                               H5P_DEFAULT, H5P_DEFAULT);
            break;
        case Operation::make_group:
            Handle(H5Gcreate2(file.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Gclose);
            break;
        case Operation::make_named_type: {
            Handle const type(H5Tcopy(H5T_IEEE_F64LE), H5Tclose);
            H5Tcommit2(file.get(), name.c_str(), type.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
            break;
        }
        default:
            break;
    }
}

void change_attribute(Handle const& file, Edit const& edit, std::string const& path,
                      std::string const& attribute)
{
    Handle const object(H5Oopen(file.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
    if (object.get() < 0 || H5Aexists(object.get(), attribute.c_str()) <= 0)
    {
        return;
    }
    Draft draft = Draft::of_attribute(object, attribute);
    bool const stays = change_draft(draft, edit);
    H5Adelete(object.get(), attribute.c_str());
    if (stays)
    {
        draft.make_attribute(object, attribute);
    }
}

void change_object(Handle const& file, Edit const& edit, std::string const& name,
                   std::string const& target)
{
    Handle const dataset(H5Oopen(file.get(), name.c_str(), H5P_DEFAULT), H5Oclose);
    if (dataset.get() >= 0 && H5Iget_type(dataset.get()) == H5I_DATASET)
    {
        Draft draft = Draft::of_dataset(dataset);
        if (change_draft(draft, edit))
        {
            draft.make_dataset(file, name);
            return;
        }
    }
    if (edit.operation == Operation::remove || edit.operation >= Operation::soft_link)
    {
        change_links(file, edit, name, target);
    }
}

}  // namespace

FuzzInput decode(std::span<std::uint8_t const> bytes)
{
    FuzzInput input;
    std::size_t const head = std::min(bytes.size(), input.head.size());
    std::copy_n(bytes.begin(), head, input.head.begin());
    for (bytes = bytes.subspan(head); bytes.size() >= edit_bytes && input.edits.size() < most_edits;
         bytes = bytes.subspan(edit_bytes))
    {
        Edit edit{bytes[0],
                  static_cast<Operation>(bytes[1] % static_cast<unsigned>(Operation::count)),
                  bytes[2], bytes[3], 0};
        std::memcpy(&edit.number, &bytes[4], sizeof edit.number);
        input.edits.push_back(edit);
    }
    return input;
}

std::vector<std::uint8_t> encode(FuzzInput const& input)
{
    std::vector<std::uint8_t> bytes(input.head.begin(), input.head.end());
    for (Edit const& edit : input.edits)
    {
        bytes.insert(bytes.end(), {edit.object, static_cast<std::uint8_t>(edit.operation),
                                   edit.first, edit.second});
        bytes.resize(bytes.size() + sizeof edit.number);
        std::memcpy(&bytes[bytes.size() - sizeof edit.number], &edit.number, sizeof edit.number);
    }
    return bytes;
}

void mutate(FuzzInput& input, std::minstd_rand& random, bool patches)
{
    auto const below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    auto const byte = [&] {
        return static_cast<std::uint8_t>(below(256));
    };
    auto const operation = [&] {
        auto const last = patches ? Operation::count : Operation::patch_byte;
        bool const patch = patches && below(2) == 0;
        return patch ? Operation::patch_byte
                     : static_cast<Operation>(below(static_cast<std::size_t>(last)));
    };
    auto const number = [&] {
        return static_cast<std::uint32_t>(below(2) == 0 ? below(64) : below(std::size_t{1} << 32));
    };
    std::size_t const place = input.edits.empty() ? 0 : below(input.edits.size());
    std::size_t const choice = input.edits.empty() ? below(2) : below(9);
    if (choice == 0)
    {
        input.head[below(input.head.size())] = byte();
    }
    else if (choice <= 2 && input.edits.size() < most_edits)
    {
        input.edits.push_back({byte(), operation(), byte(), byte(), number()});
    }
    else if (choice <= 4 && !input.edits.empty())
    {
        input.edits.erase(input.edits.begin() + static_cast<std::ptrdiff_t>(place));
    }
    else if (!input.edits.empty())
    {
        Edit& edit = input.edits[place];
        switch (choice)
        {
            case 5:
                edit.object = byte();
                break;
            case 6:
                edit.operation = operation();
                break;
            case 7:
                (below(2) == 0 ? edit.first : edit.second) = byte();
                break;
            default:
                edit.number = number();
                break;
        }
    }
}

EditableFile::EditableFile(std::string image) : image_(std::move(image))
{
    Handle const file = open_file_image(std::as_bytes(std::span(image_)));
    collect(open_group(file, "/"), "/", names_);
    std::sort(names_.begin(), names_.end());
}

std::string EditableFile::edited(std::span<Edit const> edits, bool patches) const
{
    std::string image = image_;
    bool const changed = std::any_of(edits.begin(), edits.end(), [](Edit const& edit) {
        return edit.operation < Operation::patch_byte;
    });
    if (changed)
    {
        Handle const file = open_for_editing(image_);
        for (Edit const& edit : edits)
        {
            std::string const& name = names_[edit.object % names_.size()];
            std::string const target = names_[edit.first % names_.size()];
            std::size_t const at = name.find('@');
            if (edit.operation >= Operation::patch_byte)
            {
                continue;
            }
            if (at != std::string::npos)
            {
                change_attribute(file, edit, name.substr(0, at), name.substr(at + 1));
            }
            else
            {
                change_object(file, edit, name, target.substr(0, target.find('@')));
            }
        }
        std::vector<std::byte> const bytes = file_image(file);
        image.assign(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    }
    for (Edit const& edit : edits)
    {
        if (patches && edit.operation == Operation::patch_byte)
        {
            image[edit.number % image.size()] = static_cast<char>(edit.first);
        }
        if (patches && edit.operation == Operation::cut_file && image.size() > least_file)
        {
            image.resize(least_file + edit.number % (image.size() - least_file));
        }
    }
    return image;
}

}  // namespace tessera::fuzz
