#pragma once
/// YAML in: a text to a checked config, and a config back to text.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/start/start_file.hpp"

namespace tessera
{

struct Input
{
    Config config;
    std::string resolved;  ///< the config with every default written out; reads back to the same
    /// Where the particles come from a file, what it says; its state has the config's species and
    /// is settled.
    std::optional<StartFile> start = std::nullopt;
    std::vector<std::string> notices;  ///< what the user should know of
};

/// Reads and checks an input file, with overrides "a.b=value" (list elements by number: a.0.b;
/// null removes a key).
///
/// The start file is read, and what it says becomes the config's (engine/start/start_file.hpp). It
/// is looked for beside the input and then in the working folder, the other way round if its name
/// comes from an override; system.file becomes where it was found.
///
/// Throws ConfigError whose what() lists every fault at once: of the text, of keys and types, of
/// the start file, of ranges and cross-field rules and of the box; one a line, as
/// `file:line:column: key: what is wrong; why; what to do`, or `--set a.b=value: key: ...`.
/// Throws IoError if the input cannot be read.
Input load_input(std::filesystem::path const& path, std::vector<std::string> const& overrides);

/// The same from a text; `name` stands for the file in messages. No start file is read: the text is
/// believed, as that of a run that has begun is.
Input parse_input(std::string_view text, std::string const& name,
                  std::vector<std::string> const& overrides);

/// The config as an input, every key written out; doubles in the fewest digits that round-trip.
std::string to_yaml(Config const& config);

/// The sections of it that decide how fast a run is: neighbor, force and reorder.
std::string speed_to_yaml(Config const& config);

}  // namespace tessera
