#include "io/input/input.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <tuple>

#include "engine/check.hpp"
#include "engine/start/initial.hpp"
#include "io/input/config.hpp"
#include "io/input/override.hpp"
#include "io/input/start.hpp"
#include "io/yaml/document.hpp"

namespace tessera
{
namespace
{

/// True if one of the keys is the other or contains it: "system.lattice" and
/// "system.lattice.density".
bool related(std::string_view a, std::string_view b)
{
    std::string_view const outer = a.size() < b.size() ? a : b;
    std::string_view const inner = a.size() < b.size() ? b : a;
    return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '.');
}

/// True if the fault is about a value that the problem's rule rests on, so that the rule judged a
/// default in its place.
bool rests_on(std::string_view problem, std::string_view fault)
{
    struct Rule
    {
        std::string_view problem, input;
    };
    constexpr Rule rules[] = {{"potential.pairs", "potential.mixing"},
                              {"potential.pairs", "system.species"},
                              {"potential.switch_on", "potential.truncation"},
                              {"potential.switch_on", "potential.cutoff"},
                              {"potential.tail_correction", "system.boundary"},
                              {"neighbor.skin", "neighbor.rebuild"},
                              {"reorder.format", "force"},
                              {"reorder.format", "system.species"},
                              {"potential.pairs", "system.file"},
                              {"potential.switch_on", "system.file"},
                              {"potential.tail_correction", "system.file"},
                              {"system.species", "system.file"},
                              {"reorder.format", "system.file"}};
    return related(problem, fault) ||
           std::any_of(std::begin(rules), std::end(rules), [&](Rule rule) {
               return related(problem, rule.problem) && related(fault, rule.input);
           });
}

/// Adds the engine's problems, except about keys whose value could not be read: there the config
/// holds a default that is nobody's input.
void add_problems(YamlDocument& document, std::vector<Problem> const& problems,
                  std::size_t faults_of_reading)
{
    for (Problem const& problem : problems)
    {
        bool const unread =
            std::any_of(document.faults.begin(), document.faults.begin() + faults_of_reading,
                        [&](Fault const& fault) { return rests_on(problem.key, fault.key); });
        if (!unread)
        {
            document.faults.push_back(
                {position_of(document, problem.key), problem.key, problem.message});
        }
    }
}

/// `box` is the start file's; null where there is none.
void check_ranges(YamlDocument& document, Config const& config, Box const* box)
{
    std::size_t const faults_of_reading = document.faults.size();
    add_problems(document, check(config), faults_of_reading);
    // The box follows from the system, and is held against the potential: both must be right.
    bool const known =
        std::none_of(document.faults.begin(), document.faults.end(), [](Fault const& fault) {
            constexpr std::string_view inputs[] = {
                "system.lattice", "system.random",    "system.file",     "system.boundary",
                "system.species", "potential.mixing", "potential.pairs", "potential.cutoff"};
            return std::any_of(std::begin(inputs), std::end(inputs),
                               [&](std::string_view input) { return related(fault.key, input); });
        });
    auto const* const file = std::get_if<FileConfig>(&config.system.start);
    if (!known || (file != nullptr && box == nullptr))
    {
        return;
    }
    std::vector<Problem> problems = check_box(config, file != nullptr ? *box : initial_box(config));
    for (Problem& problem : problems)
    {
        problem.message = (file != nullptr ? file->path.string() + " " : "") + problem.message;
    }
    add_problems(document, problems, faults_of_reading);
}

void throw_faults(YamlDocument& document)
{
    if (document.faults.empty())
    {
        return;
    }
    std::stable_sort(document.faults.begin(), document.faults.end(),
                     [](Fault const& a, Fault const& b) {
                         auto const place = [](Fault const& fault) {
                             return std::tuple(fault.position.source, fault.position.line,
                                               fault.position.column);
                         };
                         return place(a) < place(b);
                     });
    std::string message;
    for (Fault const& fault : document.faults)
    {
        message += message.empty() ? "" : "\n";
        message += format_fault(document, fault);
    }
    throw ConfigError(message);
}

/// The text with its overrides as a tree; throws where it is none.
YamlDocument read_document(std::string_view text, std::string const& name,
                           std::vector<std::string> const& overrides)
{
    YamlDocument document = parse_document(text, name);
    if (!document.root)
    {
        throw_faults(document);
    }
    for (std::string const& assignment : overrides)
    {
        apply_override(document, assignment);
    }
    return document;
}

}  // namespace

Input parse_input(std::string_view text, std::string const& name,
                  std::vector<std::string> const& overrides)
{
    YamlDocument document = read_document(text, name, overrides);
    Input input;
    input.config = read_config(document);
    check_ranges(document, input.config, nullptr);
    throw_faults(document);
    input.resolved = to_yaml(input.config);
    return input;
}

Input load_input(std::filesystem::path const& path, std::vector<std::string> const& overrides)
{
    std::ifstream file(path, std::ios::binary);
    std::string text;
    if (file && !std::filesystem::is_directory(path))
    {
        // One byte past the limit tells a text that is too long from one that just fits.
        text.resize(max_input_bytes + 4);
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(file.gcount()));
    }
    else
    {
        std::string const reason =
            std::filesystem::is_directory(path) ? "it is a folder" : std::strerror(errno);
        throw ConfigError(path.string() + ": cannot read the input: " + reason +
                          "; give the path of a YAML file");
    }
    if (file.bad())
    {
        throw IoError(path.string() + ": reading the input failed: " + std::strerror(errno));
    }
    YamlDocument document = read_document(text, path.string(), overrides);
    Input input;
    input.config = read_config(document);
    std::size_t const faults_of_reading = document.faults.size();
    add_problems(document, read_start_of(document, path, input), faults_of_reading);
    check_ranges(document, input.config, input.start ? &input.start->state.box : nullptr);
    throw_faults(document);
    input.resolved = to_yaml(input.config);
    return input;
}

}  // namespace tessera
