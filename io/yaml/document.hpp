#pragma once
/// Raw YAML text to a tree whose every node knows where it stands.
///
/// Stricter than YAML: exactly one document of at most 1 MiB, no duplicate keys, no tags, no merge
/// keys, no quote left open, no alias into itself. Aliases share the node that they name, so a
/// tree never grows beyond its text.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// A place in one of the document's sources; line and column count from 1.
struct TextPosition
{
    int source = 0;
    int line = 1, column = 1;
};

enum class NodeKind
{
    null,
    scalar,
    list,
    map
};

enum class Quoting
{
    plain,
    quoted
};

struct YamlNode;
using YamlPointer = std::shared_ptr<YamlNode const>;

struct YamlEntry
{
    std::string key;
    TextPosition position;
    YamlPointer value;
};

struct YamlNode
{
    NodeKind kind = NodeKind::null;
    TextPosition position;
    std::string text;  ///< scalars
    Quoting quoting = Quoting::plain;
    std::vector<YamlPointer> items;  ///< lists
    std::vector<YamlEntry> entries;  ///< maps, in the order of the text
};

/// One thing wrong with the input.
struct Fault
{
    TextPosition position;
    std::string key;  ///< dotted path, list elements by number; empty: the text itself
    std::string message;
};

struct YamlDocument
{
    YamlPointer root;                  ///< null if the text could not be read at all
    std::vector<std::string> sources;  ///< [source] the file's name, then "--set a.b=value" each
    std::vector<Fault> faults;
};

inline constexpr std::size_t max_input_bytes = 1 << 20;

/// Reads `text`; whatever is wrong with it is in `faults`.
YamlDocument parse_document(std::string_view text, std::string const& name);

/// Reads one more text as a further source of the document, without touching its root.
/// Null if it is empty or wrong; what is wrong is then in `faults`.
YamlPointer parse_source(YamlDocument& document, std::string_view text, std::string const& name);

/// The value at a dotted path; null if there is none.
YamlNode const* node_at(YamlDocument const& document, std::string_view path);

/// Where a dotted path stands: its key, or where the path leaves the tree the last node on the way.
TextPosition position_of(YamlDocument const& document, std::string_view path);

/// "melt.yaml:3:5: run.dt: ..." or "--set run.dt=0: run.dt: ...".
std::string format_fault(YamlDocument const& document, Fault const& fault);

}  // namespace tessera
