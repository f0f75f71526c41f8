#include "io/input/config.hpp"

#include <fmt/format.h>

#include "io/input/keys.hpp"
#include "io/input/sections.hpp"
#include "io/yaml/device_name.hpp"
#include "io/yaml/reader.hpp"

namespace tessera
{

/// auto, cpu, cuda or cuda:1.
static bool read_value(YamlNode const& node, std::string const& key, Faults& faults,
                       DeviceConfig& device)
{
    std::string text;
    if (!read_scalar(node, key, faults, "a name", text))
    {
        return false;
    }
    if (std::optional<DeviceConfig> const parsed = parse_device(text))
    {
        device = *parsed;
        return true;
    }
    constexpr std::string_view names[] = {"auto", "cpu", "cuda", "cuda:1"};
    refuse_name(node, key, faults, names, {});
    return false;
}

namespace
{

template <class T>
void read_section(YamlNode const& node, std::string const& path, Faults& faults, T& section);

/// A visitor of io/input/sections.hpp: reads what the map has of a section's keys.
class FieldReader
{
public:
    explicit FieldReader(MapReader& map) : map_(map)
    {
    }

    /// Whether a governing key is wrong: those that belong to it are not worth a second message.
    bool is_lost() const
    {
        return is_lost_;
    }

    template <class T>
    void operator()(Key const& key, T&& value)
    {
        bool const wrong = is_given(key) && !map_.read(key.name, value);
        is_lost_ = is_lost_ || (wrong && key.governs);
    }

    void operator()(Key const& key, Seconds seconds)
    {
        Duration duration;
        if (is_given(key) && map_.read(key.name, duration))
        {
            seconds.value = duration.seconds;
        }
    }

    void operator()(Key const& key, SpeciesPair pair)
    {
        std::vector<std::string> names;
        if (!is_given(key) || !map_.read(key.name, names))
        {
            return;
        }
        if (names.size() != 2)
        {
            map_.fail(key.name, fmt::format("names {} species; a pair has two, such as [A, B]",
                                            names.size()));
            return;
        }
        pair.first = names[0];
        pair.second = names[1];
    }

    template <class T>
    void operator()(Key const& key, Number<T> number)
    {
        T read{};
        if (!is_given(key) || !map_.read(key.name, read))
        {
            return;
        }
        std::int64_t const value = std::optional<std::int64_t>(read).value();
        if (value < number.least)
        {
            map_.fail(key.name, fmt::format("is {}; {}", value, number.advice));
            return;
        }
        number.value = read;
    }

    template <class T>
    void section(Key const& key, T& section)
    {
        if (is_given(key))
        {
            read_section(*map_.find(key.name), map_.path_of(key.name), map_.faults(), section);
        }
    }

    template <class T>
    void section(Key const& key, std::optional<T>& present)
    {
        if (is_given(key))
        {
            section(key, present.emplace());
        }
    }

    template <class T>
    void list(Key const& key, std::vector<T>& sections)
    {
        YamlPointer const node = map_.find(key.name);
        std::string const path = map_.path_of(key.name);
        if (!node || !expect_kind(*node, path, map_.faults(), NodeKind::list))
        {
            return;
        }
        sections.clear();
        for (std::size_t index = 0; index < node->items.size(); ++index)
        {
            read_section(*node->items[index], fmt::format("{}.{}", path, index), map_.faults(),
                         sections.emplace_back());
        }
    }

    void start(StartConfig& start)
    {
        YamlPointer const lattice = map_.find("lattice");
        YamlPointer const random = map_.find("random");
        YamlPointer const file = map_.find("file");
        require_one_start(lattice != nullptr, random != nullptr, file != nullptr);
        if (lattice)
        {
            start = LatticeConfig();
        }
        if (random)
        {
            start = RandomConfig();
        }
        if (file)
        {
            start = FileConfig();
        }
        else if (map_.find("frame"))
        {
            map_.fail("frame", "is given without file; it picks a frame of system.file; remove it");
        }
        start_fields(*this, start);
    }

    template <class T>
    void alternative(Key const& key, T* chosen)
    {
        T unused;
        section(key, chosen != nullptr ? *chosen : unused);
    }

    void alternative(Key const&, FileConfig* chosen)
    {
        if (chosen != nullptr)
        {
            fields(*this, *chosen);
        }
    }

private:
    /// Whether there is more to read than the word for nothing; a fault if the key is missed.
    bool is_given(Key const& key)
    {
        YamlPointer const node = map_.find(key.name);
        if (!node && key.need == Need::required)
        {
            map_.miss(key.name);
        }
        return node && (key.empty_word.empty() || node->kind != NodeKind::scalar ||
                        node->text != key.empty_word);
    }

    void require_one_start(bool lattice, bool random, bool file)
    {
        if (!lattice && !random && !file && map_.is_map())
        {
            map_.fail("lattice",
                      "is missing, and so are random and file; the particles need exactly one of "
                      "the three; add one");
        }
        if ((lattice && (random || file)) || (random && file))
        {
            map_.fail(file ? "file" : "random",
                      fmt::format("stands beside {}; the particles need exactly one of lattice, "
                                  "random and file; keep one",
                                  lattice ? "lattice" : "random"));
        }
    }

    MapReader& map_;
    bool is_lost_ = false;
};

template <class T>
void read_section(YamlNode const& node, std::string const& path, Faults& faults, T& section)
{
    MapReader map(YamlPointer(YamlPointer{}, &node), path, faults);
    FieldReader reader(map);
    fields(reader, section);
    if (!reader.is_lost())
    {
        map.finish(input_keys());
    }
}

}  // namespace

Config read_config(YamlDocument& document)
{
    Config config;
    config.potential.pairs.clear();
    config.output.thermo.emplace();  // the table is shown even if no file is asked for
    read_section(*document.root, "", document.faults, config);
    if (node_at(document, "potential.pairs") == nullptr && config.system.species.size() == 1)
    {
        std::string const& name = config.system.species.front().name;
        config.potential.pairs.push_back({name, name, 1.0, 1.0, std::nullopt});
    }
    return config;
}

}  // namespace tessera
