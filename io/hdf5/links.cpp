#include "io/hdf5/links.hpp"

#include <fmt/format.h>

#include "engine/config/errors.hpp"

namespace tessera::hdf5
{

namespace
{

/// Refuses a link that leads out of the file, or to nothing.
void require_inside(Handle const& parent, std::string const& name)
{
    H5L_info_t info{};
    check(H5Lget_info(parent.get(), name.c_str(), &info, H5P_DEFAULT), "look for " + name);
    if (info.type != H5L_TYPE_HARD && info.type != H5L_TYPE_SOFT)
    {
        throw IoError(fmt::format("{} is a link to another file, which is not followed.", name));
    }
    if (info.type == H5L_TYPE_SOFT &&
        H5Oexists_by_name(parent.get(), name.c_str(), H5P_DEFAULT) <= 0)
    {
        throw IoError(fmt::format("{} is a link to nothing that is in the file.", name));
    }
}

void require(Handle const& parent, std::string const& name)
{
    if (name != "/" && !exists(parent, name))
    {
        throw IoError(fmt::format("the file has no {}.", name));
    }
}

}  // namespace

Handle create_group(Handle const& parent, std::string const& name)
{
    Handle const properties = creation_properties(H5P_GROUP_CREATE);
    hid_t const id =
        H5Gcreate2(parent.get(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT);
    return {check(id, "create group " + name), H5Gclose};
}

Handle open_group(Handle const& parent, std::string const& name)
{
    require(parent, name);
    hid_t const id = H5Gopen2(parent.get(), name.c_str(), H5P_DEFAULT);
    return {check(id, "open group " + name), H5Gclose};
}

Handle open_dataset(Handle const& parent, std::string const& name)
{
    require(parent, name);
    hid_t const id = H5Dopen2(parent.get(), name.c_str(), H5P_DEFAULT);
    Handle dataset(check(id, "open dataset " + name), H5Dclose);
    // before anything else is asked of it: a virtual one opens its sources to tell its shape
    Handle const properties(check(H5Dget_create_plist(dataset.get()), "read the layout of " + name),
                            H5Pclose);
    H5D_layout_t const layout = H5Pget_layout(properties.get());
    bool const inside = layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED;
    if (!inside || check(H5Pget_external_count(properties.get()), "read the layout") > 0)
    {
        throw IoError(fmt::format("the data of {} lie in another file, which is not read.", name));
    }
    return dataset;
}

bool exists(Handle const& parent, std::string const& name)
{
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1))
    {
        std::string const part = name.substr(0, end);
        if (check(H5Lexists(parent.get(), part.c_str(), H5P_DEFAULT), "look for " + part) == 0)
        {
            return false;
        }
        require_inside(parent, part);
        if (end == std::string::npos)
        {
            return true;
        }
    }
}

bool is_group(Handle const& parent, std::string const& name)
{
    require(parent, name);
    Handle const object(check(H5Oopen(parent.get(), name.c_str(), H5P_DEFAULT), "open " + name),
                        H5Oclose);
    return H5Iget_type(object.get()) == H5I_GROUP;
}

std::vector<std::string> links(Handle const& group)
{
    std::vector<std::string> names;
    auto const add = [](hid_t, char const* name, H5L_info_t const*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    check(H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names),
          "list a group");
    return names;
}

void hard_link(Handle const& from, std::string const& target, Handle const& parent,
               std::string const& name)
{
    check(H5Lcreate_hard(from.get(), target.c_str(), parent.get(), name.c_str(), H5P_DEFAULT,
                         H5P_DEFAULT),
          "link " + name);
}

}  // namespace tessera::hdf5
