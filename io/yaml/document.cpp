#include "io/yaml/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <unordered_map>

namespace tessera
{
namespace
{

/// True if the quote that opens at `start` is closed again: yaml-cpp takes the end of the text for
/// a closing quote when a line break comes before it.
bool quote_closes(std::string_view text, std::size_t start)
{
    char const quote = text[start];
    for (std::size_t at = start + 1; at < text.size(); ++at)
    {
        if (quote == '"' && text[at] == '\\')
        {
            ++at;
        }
        else if (text[at] == quote)
        {
            bool const doubled = quote == '\'' && at + 1 < text.size() && text[at + 1] == quote;
            if (!doubled)
            {
                return true;
            }
            ++at;
        }
    }
    return false;
}

/// Stands in for a stop inside yaml-cpp's event loop.
struct StopReading
{
};

/// Builds the tree from yaml-cpp's events, which carry positions, duplicates and aliases that its
/// own tree has lost.
class TreeBuilder final : public YAML::EventHandler
{
public:
    TreeBuilder(YamlDocument& document, int source, std::string_view text)
        : document_(document), source_(source), text_(text)
    {
    }

    YamlPointer root() const
    {
        return root_;
    }

    void OnDocumentStart(YAML::Mark const& mark) override
    {
        if (++documents_ > 1)
        {
            fail(place(mark),
                 "a second document starts here; an input is exactly one; put "
                 "everything into the first");
            throw StopReading{};
        }
    }
    void OnDocumentEnd() override
    {
    }
    void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override
    {
        add(make_node(NodeKind::null, mark, ""), anchor);
    }
    void OnAlias(YAML::Mark const& mark, YAML::anchor_t anchor) override
    {
        auto const named = anchors_.find(anchor);
        if (named == anchors_.end())
        {
            fail(place(mark),
                 "this alias points into itself; such a value never ends; write the "
                 "value out");
            throw StopReading{};
        }
        add(named->second, 0);
    }
    void OnScalar(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                  std::string const& value) override
    {
        auto node = make_node(NodeKind::scalar, mark, tag);
        node->text = value;
        node->quoting = tag == "!" ? Quoting::quoted : Quoting::plain;
        auto const start = static_cast<std::size_t>(mark.pos);
        bool const opens_quote =
            start < text_.size() && (text_[start] == '"' || text_[start] == '\'');
        if (tag == "!" && opens_quote && !quote_closes(text_, start))
        {
            fail(node->position,
                 "this quote is never closed; the rest of the text would belong "
                 "to it; close it");
            throw StopReading{};
        }
        add(node, anchor);
    }
    void OnSequenceStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open_.push_back({make_node(NodeKind::list, mark, tag), anchor, {}, {}});
    }
    void OnSequenceEnd() override
    {
        close();
    }
    void OnMapStart(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open_.push_back({make_node(NodeKind::map, mark, tag), anchor, {}, {}});
    }
    void OnMapEnd() override
    {
        close();
    }

private:
    struct Open
    {
        std::shared_ptr<YamlNode> node;
        YAML::anchor_t anchor;
        YamlPointer key;  // read, still without its value
        std::unordered_map<std::string, TextPosition> seen;
    };

    TextPosition place(YAML::Mark const& mark) const
    {
        return {source_, mark.line + 1, mark.column + 1};
    }

    void fail(TextPosition position, std::string message)
    {
        document_.faults.push_back({position, "", std::move(message)});
    }

    std::shared_ptr<YamlNode> make_node(NodeKind kind, YAML::Mark const& mark,
                                        std::string const& tag)
    {
        auto node = std::make_shared<YamlNode>();
        node->kind = kind;
        node->position = place(mark);
        if (!tag.empty() && tag != "?" && tag != "!")
        {
            fail(node->position,
                 fmt::format("the tag '{}' is not used here; write the value without it", tag));
        }
        return node;
    }

    void add(YamlPointer node, YAML::anchor_t anchor)
    {
        if (anchor != 0)
        {
            anchors_[anchor] = node;
        }
        if (open_.empty())
        {
            root_ = node;
            return;
        }
        Open& parent = open_.back();
        if (parent.node->kind == NodeKind::list)
        {
            parent.node->items.push_back(node);
        }
        else if (!parent.key)
        {
            parent.key = node;
        }
        else
        {
            add_entry(parent, node);
        }
    }

    void add_entry(Open& parent, YamlPointer const& value)
    {
        YamlPointer const key = parent.key;
        parent.key = nullptr;
        if (key->kind != NodeKind::scalar)
        {
            fail(key->position, "this key is not text; keys are names such as 'cutoff'");
            return;
        }
        auto const [first, fresh] = parent.seen.emplace(key->text, key->position);
        if (!fresh)
        {
            fail(key->position,
                 fmt::format("the key '{}' is given twice; it is already at line {}, column {}; "
                             "keep one of them",
                             key->text, first->second.line, first->second.column));
            return;
        }
        parent.node->entries.push_back({key->text, key->position, value});
    }

    void close()
    {
        Open const done = std::move(open_.back());
        open_.pop_back();
        add(done.node, done.anchor);
    }

    YamlDocument& document_;
    int source_;
    std::string_view text_;
    int documents_ = 0;
    YamlPointer root_;
    std::vector<Open> open_;
    std::unordered_map<YAML::anchor_t, YamlPointer> anchors_;
};

/// The first control character of the text, which no reader would show the user.
std::size_t find_control_character(std::string_view text)
{
    for (std::size_t at = 0; at < text.size(); ++at)
    {
        auto const c = static_cast<unsigned char>(text[at]);
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
        {
            return at;
        }
    }
    return std::string_view::npos;
}

TextPosition locate(std::string_view text, std::size_t at, int source)
{
    TextPosition position{source, 1, 1};
    for (std::size_t before = 0; before < at; ++before)
    {
        position.column = text[before] == '\n' ? 1 : position.column + 1;
        position.line += text[before] == '\n' ? 1 : 0;
    }
    return position;
}

}  // namespace

YamlPointer parse_source(YamlDocument& document, std::string_view text, std::string const& name)
{
    int const source = static_cast<int>(document.sources.size());
    document.sources.push_back(name);
    auto const fail = [&](TextPosition position, std::string message) {
        document.faults.push_back({position, "", std::move(message)});
    };
    if (text.starts_with("\xEF\xBB\xBF"))
    {
        text.remove_prefix(3);
    }
    if (text.size() > max_input_bytes)
    {
        fail({source, 1, 1}, fmt::format("the text has {} bytes; an input has at most {}; is this "
                                         "the right file?",
                                         text.size(), max_input_bytes));
        return nullptr;
    }
    std::size_t const control = find_control_character(text);
    if (control != std::string_view::npos)
    {
        fail(locate(text, control, source),
             fmt::format("a control character (byte {:#04x}) stands here; an input is plain UTF-8 "
                         "text; is this the right file?",
                         static_cast<unsigned char>(text[control])));
        return nullptr;
    }
    TreeBuilder builder(document, source, text);
    try
    {
        std::istringstream stream{std::string{text}};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder))
        {
        }
    }
    catch (StopReading const&)
    {
        return nullptr;
    }
    catch (YAML::Exception const& error)
    {
        fail({source, error.mark.line + 1, error.mark.column + 1},
             fmt::format("{}; the text is not valid YAML here; look at the indentation, quotes "
                         "and brackets up to this place",
                         error.msg));
        return nullptr;
    }
    return builder.root();
}

YamlDocument parse_document(std::string_view text, std::string const& name)
{
    YamlDocument document;
    document.root = parse_source(document, text, name);
    if (!document.root && document.faults.empty())
    {
        document.faults.push_back(
            {{0, 1, 1}, "", "the input is empty; it needs at least system and run"});
    }
    return document;
}

YamlNode const* node_at(YamlDocument const& document, std::string_view path)
{
    YamlNode const* node = document.root.get();
    while (node != nullptr && !path.empty())
    {
        std::string_view const part = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), part.size() + 1));
        auto const entry = std::find_if(node->entries.begin(), node->entries.end(),
                                        [&](YamlEntry const& one) { return one.key == part; });
        std::size_t index = 0;
        auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
        bool const item =
            error == std::errc{} && end == part.data() + part.size() && index < node->items.size();
        node = entry != node->entries.end() ? entry->value.get()
                                            : (item ? node->items[index].get() : nullptr);
    }
    return node;
}

TextPosition position_of(YamlDocument const& document, std::string_view path)
{
    TextPosition position = document.root ? document.root->position : TextPosition{};
    YamlNode const* node = document.root.get();
    while (node != nullptr && !path.empty())
    {
        std::string_view const part = path.substr(0, path.find('.'));
        path.remove_prefix(std::min(path.size(), part.size() + 1));
        YamlNode const* child = nullptr;
        for (YamlEntry const& entry : node->entries)
        {
            if (entry.key == part)
            {
                child = entry.value.get();
                position = path.empty() ? entry.position : child->position;
            }
        }
        std::size_t index = 0;
        auto const [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
        if (error == std::errc{} && index < node->items.size())
        {
            child = node->items[index].get();
            position = child->position;
        }
        node = child;
    }
    return position;
}

std::string format_fault(YamlDocument const& document, Fault const& fault)
{
    TextPosition const& position = fault.position;
    std::string const& source = document.sources[static_cast<std::size_t>(position.source)];
    std::string const key = fault.key.empty() ? "" : fault.key + ": ";
    if (position.source == 0)
    {
        return fmt::format("{}:{}:{}: {}{}", source, position.line, position.column, key,
                           fault.message);
    }
    return fmt::format("{}: {}{}", source, key, fault.message);
}

}  // namespace tessera
