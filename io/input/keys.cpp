#include "io/input/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/config/errors.hpp"
#include "io/input/sections.hpp"
#include "io/yaml/nearest_name.hpp"

namespace tessera
{
namespace
{

template <class T>
requires std::is_integral_v<T> std::string type_of(T const&)
{
    return "whole number";
}

std::string type_of(double const&)
{
    return "number";
}

std::string type_of(bool const&)
{
    return "true or false";
}

std::string type_of(std::string const&)
{
    return "text";
}

std::string type_of(std::filesystem::path const&)
{
    return "file name";
}

std::string type_of(DeviceConfig const&)
{
    return "`auto`, `cpu`, `cuda` or `cuda:N`";
}

template <class E>
requires std::is_enum_v<E> std::string type_of(E const&)
{
    std::string names;
    for (EnumName<E> const& entry : EnumTable<E>::names)
    {
        names += fmt::format("{}`{}`", names.empty() ? "" : " | ", entry.name);
    }
    return names;
}

template <class T>
std::string type_of(std::optional<T> const&)
{
    return type_of(T());
}

template <class T>
std::string type_of(Vec3<T> const&)
{
    return "three, each " + type_of(T());
}

template <class T>
std::string type_of(std::vector<T> const&)
{
    return "list of " + type_of(T());
}

std::string type_of(Seconds)
{
    return "time, such as 90, 15min or 2h";
}

std::string type_of(SpeciesPair)
{
    return "two names of species";
}

template <class T>
std::string type_of(Number<T>)
{
    return "whole number";
}

struct Entry
{
    std::string path;
    std::string text;
    bool is_section = false;
};

/// A visitor of io/input/sections.hpp: every key that there could be.
class KeyLister
{
public:
    KeyLister(std::vector<Entry>& entries, std::string path)
        : entries_(entries), path_(std::move(path))
    {
    }

    template <class T>
    void operator()(Key const& key, T&& value)
    {
        std::string text = type_of(value);
        text += key.empty_word.empty() ? "" : fmt::format(" or `{}`", key.empty_word);
        text += key.unit.empty() ? "" : fmt::format(" [{}]", key.unit);
        text += key.range.empty() ? "" : fmt::format(", {}", key.range);
        entries_.push_back(
            {path_of(key), fmt::format("{}; {}. {}", text, absence(key, value), key.meaning)});
    }

    template <class T>
    void section(Key const& key, T& section)
    {
        add_section(key, section, "section");
    }

    template <class T>
    void section(Key const& key, std::optional<T>&)
    {
        T value;
        add_section(key, value, "section");
    }

    template <class T>
    void list(Key const& key, std::vector<T>&)
    {
        T element;
        add_section(key, element, "list of sections");
    }

    void start(StartConfig& start)
    {
        start_fields(*this, start);
    }

    template <class T>
    void alternative(Key const& key, T*)
    {
        T value;
        section(key, value);
    }

    void alternative(Key const&, FileConfig*)
    {
        FileConfig value;
        fields(*this, value);
    }

private:
    template <class T>
    void add_section(Key const& key, T& section, std::string_view what)
    {
        std::string_view const need = key.need == Need::required ? "; required" : "";
        entries_.push_back({path_of(key), fmt::format("{}{}. {}", what, need, key.meaning), true});
        KeyLister inner(entries_, path_of(key));
        fields(inner, section);
    }

    std::string path_of(Key const& key) const
    {
        return path_.empty() ? std::string(key.name) : fmt::format("{}.{}", path_, key.name);
    }

    template <class T>
    static std::string absence(Key const& key, T const& value)
    {
        if (key.need == Need::required)
        {
            return "required";
        }
        std::string const given = written(value);
        return fmt::format("default: {}", !key.without.empty()      ? key.without
                                          : !key.empty_word.empty() ? key.empty_word
                                                                    : std::string_view(given));
    }

    std::vector<Entry>& entries_;
    std::string path_;
};

std::vector<Entry> const& entries()
{
    static std::vector<Entry> const listed = [] {
        std::vector<Entry> found;
        Config config;
        KeyLister lister(found, "");
        fields(lister, config);
        return found;
    }();
    return listed;
}

[[noreturn]] void refuse_section(std::string_view section)
{
    std::vector<std::string_view> names;
    for (Entry const& entry : entries())
    {
        names.push_back(entry.path);
    }
    std::string_view const nearest = nearest_name(section, names);
    throw ConfigError(
        fmt::format("an input has no key '{}'{}; tessera keys lists all", section,
                    nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace

std::span<std::string const> input_keys()
{
    static std::vector<std::string> const keys = [] {
        std::vector<std::string> found;
        for (Entry const& entry : entries())
        {
            if (!entry.is_section)
            {
                found.push_back(entry.path);
            }
        }
        return found;
    }();
    return keys;
}

std::string key_reference(std::string_view section)
{
    std::string text;
    for (Entry const& entry : entries())
    {
        if (section.empty() || entry.path == section ||
            entry.path.starts_with(std::string(section) + "."))
        {
            auto const depth = std::count(entry.path.begin(), entry.path.end(), '.');
            text += fmt::format("{:{}}- `{}`: {}\n", "", 2 * depth, entry.path, entry.text);
        }
    }
    if (text.empty())
    {
        refuse_section(section);
    }
    return text;
}

}  // namespace tessera
