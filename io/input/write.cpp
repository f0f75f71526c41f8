#include "io/input/input.hpp"
#include "io/input/sections.hpp"
#include "io/yaml/written.hpp"

namespace tessera
{
namespace
{

/// A visitor of io/input/sections.hpp: the text of a section in its layout.
class FieldWriter
{
public:
    FieldWriter(SectionLayout layout, std::string indent)
        : layout_(layout), indent_(std::move(indent))
    {
    }

    std::string const& text() const
    {
        return text_;
    }

    template <class T>
    void operator()(Key const& key, T&& value)
    {
        std::string const given = written(value);
        std::string const text = given.empty() ? std::string(key.empty_word) : given;
        if (key.written && !text.empty())
        {
            put(key, text);
        }
    }

    template <class T>
    void section(Key const& key, T& section)
    {
        if (key.layout == SectionLayout::flow)
        {
            put(key, flow(section));
            return;
        }
        FieldWriter inner(SectionLayout::lines, indent_ + "  ");
        fields(inner, section);
        text_ += fmt::format("{}{}:\n{}", indent_, key.name, inner.text());
    }

    template <class T>
    void section(Key const& key, std::optional<T>& present)
    {
        if (present)
        {
            section(key, *present);
        }
    }

    template <class T>
    void list(Key const& key, std::vector<T>& sections)
    {
        if (sections.empty())
        {
            put(key, "[]");
            return;
        }
        text_ += fmt::format("{}{}:\n", indent_, key.name);
        for (T& section : sections)
        {
            text_ += fmt::format("{}  - {}\n", indent_, flow(section));
        }
    }

    void start(StartConfig& start)
    {
        start_fields(*this, start);
    }

    template <class T>
    void alternative(Key const& key, T* chosen)
    {
        if (chosen != nullptr)
        {
            section(key, *chosen);
        }
    }

    void alternative(Key const&, FileConfig* chosen)
    {
        if (chosen != nullptr)
        {
            fields(*this, *chosen);
        }
    }

private:
    template <class T>
    static std::string flow(T& section)
    {
        FieldWriter inner(SectionLayout::flow, "");
        fields(inner, section);
        return "{" + inner.text() + "}";
    }

    void put(Key const& key, std::string const& value)
    {
        text_ += layout_ == SectionLayout::lines
                     ? fmt::format("{}{}: {}\n", indent_, key.name, value)
                     : fmt::format("{}{}: {}", text_.empty() ? "" : ", ", key.name, value);
    }

    SectionLayout layout_;
    std::string indent_, text_;
};

}  // namespace

std::string speed_to_yaml(Config const& config)
{
    Config copy = config;
    FieldWriter writer(SectionLayout::lines, "");
    speed_fields(writer, copy);
    return writer.text();
}

std::string to_yaml(Config const& config)
{
    Config copy = config;
    ResolvedPair const common;
    copy.potential.n = config.potential.n.value_or(common.n);
    copy.potential.m = config.potential.m.value_or(common.m);
    FieldWriter writer(SectionLayout::lines, "");
    fields(writer, copy);
    return writer.text();
}

}  // namespace tessera
